/// The parts of a PNG file that its picture needs (PNG specification, second edition).
///
/// Texts, profiles and later frames of an animation are skipped, because their uncompressed size is unbounded.
struct PNGFile {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  private static let kept = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].map { Array($0.utf8) }

  let strippedFile: [UInt8]

  /// - Throws: ``CodecError/corrupt(codec:reason:)``, ``CodecError/unsupportedSize(width:height:)``
  init(_ file: [UInt8]) throws(CodecError) {
    var strippedFile = Self.signature
    var place = Self.signature.count
    var types: [ArraySlice<UInt8>] = []
    var (data, most) = (0, 0)
    while true {
      guard file.count - place >= 12 else { throw .corrupt(codec: "PNG", reason: "the file ends before its end chunk") }
      let length = file.bigEndian(at: place, bytes: 4)
      guard length <= file.count - place - 12 else {
        throw .corrupt(codec: "PNG", reason: "a chunk of \(length) bytes extends beyond the end")
      }
      let type = file[place + 4..<place + 8]
      let end = place + 12 + length
      if Self.kept.contains(where: type.elementsEqual) {
        let isHeader = type.elementsEqual("IHDR".utf8)
        guard isHeader == types.isEmpty else {
          throw .corrupt(codec: "PNG", reason: isHeader ? "the file has two headers" : "it does not start with its header")
        }
        if isHeader { most = try Self.check(file, at: place + 8, length: length) }
        if type.elementsEqual("IDAT".utf8) { data += length }
        guard data <= most else { throw .corrupt(codec: "PNG", reason: "the file has far more data than its pixels need") }
        types.append(type)
        strippedFile += file[place..<end]
      }
      place = end
      if type.elementsEqual("IEND".utf8) { break }
    }
    guard types.contains(where: { $0.elementsEqual("IDAT".utf8) }) else {
      throw .corrupt(codec: "PNG", reason: "the file contains no picture")
    }
    self.strippedFile = strippedFile
  }

  /// Limits the compressed data to twice the uncompressed size. The decoder also inflates data after the picture, which may
  /// expand a thousandfold.
  private static func check(_ file: [UInt8], at place: Int, length: Int) throws(CodecError) -> Int {
    guard length == 13 else { throw .corrupt(codec: "PNG", reason: "the header has \(length) bytes") }
    let (width, height) = (file.bigEndian(at: place, bytes: 4), file.bigEndian(at: place + 4, bytes: 4))
    guard VideoFrame.isSupported(width: width, height: height) else { throw .unsupportedSize(width: width, height: height) }
    return 4096 + 2 * height * (1 + 8 * width)
  }
}

extension [UInt8] {
  /// Returns a number of 1 to 4 bytes; bytes beyond the end count as 0.
  func bigEndian(at place: Int, bytes: Int) -> Int {
    (0..<bytes).reduce(0) { $0 << 8 | (place + $1 < count ? Int(self[place + $1]) : 0) }
  }
}
