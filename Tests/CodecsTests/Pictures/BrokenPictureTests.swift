import RoomCodecs
import RoomTestSupport
import Testing

@Suite("Invalid and corrupt picture files")
struct BrokenPictureTests {
  private static let png: [UInt8] = {
    let rows = (0..<12).map { (y: Int) -> [UInt8] in
      (0..<20).flatMap { (x: Int) -> [UInt8] in [UInt8(x * 12), UInt8(y * 20), 77, UInt8(255 - x * 10)] }
    }
    return PNGWriter(width: 20, height: 12, colour: .rgba, rows: rows).file
  }()

  private func decodingError(_ file: [UInt8]) -> String {
    do {
      let picture = try Picture(decoding: file)
      return "a picture of \(picture.width)x\(picture.height)"
    } catch { return "\(error)" }
  }

  @Test("each is rejected with a reason")
  func refusals() {
    func png(_ width: Int, _ height: Int) -> [UInt8] {
      PNGWriter(width: width, height: height, colour: .rgba, rows: [[1, 2, 3, 4]]).file
    }
    func jpeg(_ change: (inout [UInt8], _ header: Int) -> Void) -> [UInt8] {
      var file = JPEGSamples.baseline
      if let header = file.indices.first(where: { file[$0...].starts(with: [0xff, 0xc0]) }) { change(&file, header) }
      return file
    }
    let baseline = JPEGSamples.baseline
    let scan = baseline.indices.first { baseline[$0...].starts(with: [0xff, 0xda]) } ?? 0
    let progressive = JPEGSamples.progressive
    let lastScan = progressive.indices.last { progressive[$0...].starts(with: [0xff, 0xda]) } ?? 0
    let manyScans =
      Array(progressive[..<lastScan]) + (0..<100).flatMap { _ in progressive[lastScan...].dropLast(2) } + [0xff, 0xd9]
    let expected: [(String, [UInt8])] = [
      ("neither a PNG nor a JPEG", []), ("neither a PNG nor a JPEG", Array("GIF89a".utf8)),
      ("neither a PNG nor a JPEG", Array("<svg/>".utf8)), ("neither a PNG nor a JPEG", [0x89, 0x50]),
      ("4194305 bytes exceed the limit of 4194304", [UInt8](repeating: 0xff, count: 4_194_305)),
      ("ends before its end chunk", Array(Self.png.prefix(8))), ("ends before its end chunk", Array(Self.png.dropLast(12))),
      ("extends beyond the end", Array(Self.png.prefix(8)) + [0xff, 0xff, 0xff, 0xff] + Array("IDATxxxx".utf8)),
      ("does not start with its header", Array(Self.png.prefix(8)) + PNGWriter.chunk("IDAT", [1])),
      ("the header has 2 bytes", Array(Self.png.prefix(8)) + PNGWriter.chunk("IHDR", [1, 2])),
      ("two headers", Array(Self.png.prefix(33)) + Self.png.dropFirst(8)),
      ("contains no picture", Array(Self.png.prefix(33)) + PNGWriter.chunk("IEND", [])),
      (
        "far more data than its pixels need",
        PNGWriter(width: 1, height: 1, colour: .grey, rows: [[UInt8](repeating: 0, count: 5000)]).file
      ),
      ("a picture of 4294967295x1 is not supported", png(0xffff_ffff, 1)), ("a picture of 0x4 is not supported", png(0, 4)),
      ("a picture of 8192x8192 is not supported", png(8192, 8192)), ("a picture of 8193x1 is not supported", png(8193, 1)),
      ("ends before its end marker", Array(baseline.prefix(3))), ("ends before its end marker", Array(baseline.dropLast(2))),
      ("ends before its end marker", Array(baseline.prefix(scan + 20))),
      ("a picture of 65535x65535 is not supported", jpeg { file, at in for byte in 5...8 { file[at + byte] = 0xff } }),
      ("a picture of 48x0 is not supported", jpeg { file, at in for byte in 5...6 { file[at + byte] = 0 } }),
      ("12 bits per sample", jpeg { file, at in file[at + 4] = 12 }),
      ("pixel format of a lossless", jpeg { file, at in file[at + 1] = 0xc3 }),
      ("pixel format of a lossless, hierarchical or arithmetic", jpeg { file, at in file[at + 1] = 0xc9 }),
      ("4 components, such as CMYK", JPEGSamples.cmyk), ("more than 64 scans", manyScans),
      ("contains no picture", [0xff, 0xd8, 0xff, 0xd9]),
      ("extends beyond the end", [0xff, 0xd8, 0xff, 0xdb, 0xff, 0xff, 0, 0]),
      ("the picture precedes the header", [0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xd9]),
      ("two headers", Array(baseline.prefix(scan)) + baseline[2...]),
      ("there is no marker at byte 4", [0xff, 0xd8, 0xff, 0x01, 0, 0]),
    ]
    for (text, file) in expected {
      let decodingError = decodingError(file)
      #expect(decodingError.contains(text), "\(decodingError)")
    }
  }

  @Test("a PNG with wrong checksums is rejected")
  func checksum() {
    var file = Self.png
    file[60] ^= 1
    #expect(decodingError(file).hasPrefix("corrupt PNG input"))
  }

  @Test("no truncated file traps")
  func beginnings() {
    for file in [Self.png, JPEGSamples.progressive, JPEGSamples.turned] {
      for count in file.indices { #expect(decodingError(Array(file.prefix(count))).hasPrefix("corrupt")) }
    }
  }

  @Test("thousands of mutations give a picture of bounded size or an error")
  func mutations() {
    var random = SeededGenerator(seed: 2026)
    var (pictures, refusals) = (0, 0)
    let files = [
      Self.png, JPEGSamples.baseline, JPEGSamples.progressive, JPEGSamples.fullColour, JPEGSamples.grey, JPEGSamples.turned,
    ]
    for round in 0..<6000 {
      var file = files[round % files.count]
      for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&file, &random) }
      if round % files.count == 0, round % 4 != 0 { Self.mendChecksums(&file) }
      do {
        let picture = try Picture(decoding: file)
        pictures += 1
        #expect(picture.width * picture.height <= VideoFrame.maximumPixels)
        #expect(picture.alpha.map { $0.count == picture.width * picture.height } ?? true)
      } catch { refusals += 1 }
    }
    #expect(pictures > 200 && refusals > 200)
  }

  private func mutate(_ file: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0..<file.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: file[place] = .random(in: .min ... .max, using: &random)
    case 1: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: file.insert(contentsOf: file.suffix(from: place).prefix(Int.random(in: 1...8, using: &random)), at: place)
    case 3: file[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
    default:
      file.removeSubrange(place..<min(file.count, place + Int.random(in: 1...4, using: &random)))
      if file.isEmpty { file = [0xff] }
    }
  }

  /// Corrects the chunks' checksums, so that their content reaches the decoder.
  private static func mendChecksums(_ file: inout [UInt8]) {
    var place = 8
    while file.count - place >= 12 {
      let length = (0..<4).reduce(0) { $0 << 8 | Int(file[place + $1]) }
      guard length <= file.count - place - 12 else { return }
      let sum = PNGWriter.word(Int(PNGWriter.checksum(file[place + 4..<place + 8 + length])))
      file.replaceSubrange(place + 8 + length..<place + 12 + length, with: sum)
      place += 12 + length
    }
  }
}
