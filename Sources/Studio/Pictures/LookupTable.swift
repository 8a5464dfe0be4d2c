/// A table that gives every colour another one: the look of a filter.
///
/// The table has ``side`` values along each of red, green and blue. Colours between them are interpolated.
public struct LookupTable: Sendable, Hashable {
  /// The allowed values along each side.
  public static let sides = 2...64

  /// The number of values along each of red, green and blue.
  public let side: Int
  /// Red, green and blue of each colour, 0…1; red of the input changes fastest, then green, then blue.
  let colours: [Float]

  /// - Parameter colours: three numbers for each colour.
  init(side: Int, colours: [Float]) {
    self.side = side
    self.colours = colours.map(Self.limited)
  }

  /// The table that changes nothing.
  public static let identity = LookupTable(side: 2) { $0 }

  /// Creates a table by a function.
  /// - Parameters:
  ///   - side: the number of values along each side, limited to ``sides``.
  ///   - colour: returns the colour for another one: red, green and blue, each 0…1. Results are limited to that.
  public init(side: Int = 17, _ colour: (SIMD3<Float>) -> SIMD3<Float>) {
    let side = min(max(side, Self.sides.lowerBound), Self.sides.upperBound)
    let step = 1 / Float(side - 1)
    var colours: [Float] = []
    colours.reserveCapacity(side * side * side * 3)
    for place in 0..<side * side * side {
      let (red, green, blue) = (place % side, place / side % side, place / (side * side))
      let result = colour(SIMD3(Float(red) * step, Float(green) * step, Float(blue) * step))
      colours.append(result.x)
      colours.append(result.y)
      colours.append(result.z)
    }
    self.init(side: side, colours: colours)
  }

  /// Returns the colour for another one, interpolated between the eight around it.
  func colour(red: Float, green: Float, blue: Float) -> (red: Float, green: Float, blue: Float) {
    colours.withUnsafeBufferPointer { colours in
      let (x, y, z) = (place(red), place(green), place(blue))
      let (right, down, back) = (3, 3 * side, 3 * side * side)
      let start = x.low * right + y.low * down + z.low * back
      func channel(_ start: Int) -> Float {
        let near = mix(
          mix(colours[start], colours[start + right], x.rest),
          mix(colours[start + down], colours[start + down + right], x.rest), y.rest)
        let far = mix(
          mix(colours[start + back], colours[start + back + right], x.rest),
          mix(colours[start + back + down], colours[start + back + down + right], x.rest), y.rest)
        return mix(near, far, z.rest)
      }
      return (channel(start), channel(start + 1), channel(start + 2))
    }
  }

  /// Returns the index of the value below, and the share of the one above.
  private func place(_ value: Float) -> (low: Int, rest: Float) {
    let scaled = Self.limited(value) * Float(side - 1)
    let low = min(Int(scaled), side - 2)
    return (low, scaled - Float(low))
  }

  private func mix(_ a: Float, _ b: Float, _ share: Float) -> Float { a + (b - a) * share }

  static func limited(_ value: Float) -> Float { value > 0 ? (value < 1 ? value : 1) : 0 }
}

/// The error of a lookup table's file.
public enum LookupError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file has more bytes than allowed.
  case tooLarge(bytes: Int, limit: Int)
  /// A line is neither a colour nor a known keyword.
  case line(Int, reason: String)
  /// The table has another size than 2…64 along each side, or none.
  case side(Int)
  /// The file has more or fewer colours than its size says.
  case count(expected: Int, got: Int)
  /// The picture is neither a HALD picture nor one of 512x512 pixels.
  case pictureSize(width: Int, height: Int)
  /// The picture can't be decoded.
  case picture(String)

  /// A message for people.
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "the file has \(bytes) bytes; the limit is \(limit)"
    case .line(let number, let reason): "line \(number): \(reason)"
    case .side(let side): "the table has \(side) values along a side; 2…64 are allowed"
    case .count(let expected, let got): "the table has \(got) colours; its size needs \(expected)"
    case .pictureSize(let width, let height): "a picture of \(width)x\(height) is not a table of colours"
    case .picture(let reason): "the picture can't be decoded: \(reason)"
    }
  }
}
