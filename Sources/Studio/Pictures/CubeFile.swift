extension LookupTable {
  /// The maximum size of a `.cube` file in bytes. One with 64 values along a side has about 8 MB.
  public static let maximumCubeBytes = 16 << 20

  /// Reads a `.cube` file with a 3D table (Adobe Cube LUT Specification 1.0, and `LUT_3D_INPUT_RANGE`).
  ///
  /// 1D tables are refused. The domain may have any bounds; it is mapped to 0…1. Colours out of 0…1 are limited to it.
  /// - Throws: ``LookupError``
  public init(cube file: some Collection<UInt8>) throws(LookupError) {
    guard file.count <= Self.maximumCubeBytes else {
      throw .tooLarge(bytes: file.count, limit: Self.maximumCubeBytes)
    }
    var reading = CubeReading()
    var number = 0
    for line in Array(file).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      try reading.read(line, number: number)
    }
    self = try reading.table()
  }
}

/// The lines of a `.cube` file so far.
private struct CubeReading {
  private var side: Int?
  private var low = SIMD3<Float>(0, 0, 0)
  private var high = SIMD3<Float>(1, 1, 1)
  /// Three numbers for each colour.
  private var colours: [Float] = []

  private var expected: Int { side.map { $0 * $0 * $0 } ?? 0 }

  mutating func read(_ line: ArraySlice<UInt8>, number: Int) throws(LookupError) {
    let words = line.prefix(256).split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    guard let first = words.first, first.first != UInt8(ascii: "#") else { return }
    if first.first.map(Self.startsNumber) == true {
      try append(words, number)
    } else {
      try readKeyword(String(decoding: first, as: UTF8.self), words.dropFirst(), number)
    }
  }

  func table() throws(LookupError) -> LookupTable {
    guard let side else { throw .side(0) }
    guard colours.count == expected * 3 else { throw .count(expected: expected, got: colours.count / 3) }
    let table = LookupTable(side: side, colours: colours)
    guard low != SIMD3(0, 0, 0) || high != SIMD3(1, 1, 1) else { return table }
    // Inputs of the file are low…high; those of a table are 0…1.
    let (low, range) = (low, high - low)
    return LookupTable(side: side) { input in
      let place = (input - low) / range
      let result = table.colour(red: place.x, green: place.y, blue: place.z)
      return SIMD3(result.red, result.green, result.blue)
    }
  }

  private mutating func append(_ words: [ArraySlice<UInt8>], _ number: Int) throws(LookupError) {
    guard side != nil else { throw .line(number, reason: "a colour before LUT_3D_SIZE") }
    guard colours.count < expected * 3 else { throw .count(expected: expected, got: expected + 1) }
    colours += try Self.numbers(words[...], count: 3, number)
  }

  private mutating func readKeyword(
    _ keyword: String, _ words: ArraySlice<ArraySlice<UInt8>>, _ number: Int
  ) throws(LookupError) {
    guard colours.isEmpty else { throw .line(number, reason: "a keyword after the first colour") }
    switch keyword {
    case "TITLE": return
    case "LUT_3D_SIZE":
      guard side == nil else { throw .line(number, reason: "a second LUT_3D_SIZE") }
      let value = try Self.numbers(words, count: 1, number)[0]
      guard let size = Int(exactly: value) else { throw .line(number, reason: "the size is not an integer") }
      guard LookupTable.sides.contains(size) else { throw .side(size) }
      side = size
      colours.reserveCapacity(size * size * size * 3)
    case "DOMAIN_MIN": low = try Self.vector(words, number)
    case "DOMAIN_MAX": high = try Self.vector(words, number)
    case "LUT_3D_INPUT_RANGE":
      let values = try Self.numbers(words, count: 2, number)
      (low, high) = (SIMD3(repeating: values[0]), SIMD3(repeating: values[1]))
    case "LUT_1D_SIZE", "LUT_1D_INPUT_RANGE": throw .line(number, reason: "1D tables are not supported")
    default: throw .line(number, reason: "an unknown keyword")
    }
    // Both bounds, once both are known; a reversed or empty domain has no inverse.
    guard (0..<3).allSatisfy({ high[$0] - low[$0] > 1e-6 }) || (keyword == "DOMAIN_MIN" && high == SIMD3(1, 1, 1)) else {
      throw .line(number, reason: "an empty domain")
    }
  }

  private static func vector(
    _ words: ArraySlice<ArraySlice<UInt8>>, _ number: Int
  ) throws(LookupError) -> SIMD3<Float> {
    let values = try numbers(words, count: 3, number)
    return SIMD3(values[0], values[1], values[2])
  }

  private static func numbers(
    _ words: ArraySlice<ArraySlice<UInt8>>, count: Int, _ number: Int
  ) throws(LookupError) -> [Float] {
    guard words.count == count else { throw .line(number, reason: "\(words.count) numbers instead of \(count)") }
    var numbers: [Float] = []
    for word in words {
      guard word.first.map(startsNumber) == true, let value = Float(String(decoding: word, as: UTF8.self)),
        value.magnitude < 1e6
      else { throw .line(number, reason: "not a number") }
      numbers.append(value)
    }
    return numbers
  }

  /// Returns whether a number may start with a character: "nan" and "inf" are none.
  private static func startsNumber(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || [UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ".")].contains(byte)
  }
}
