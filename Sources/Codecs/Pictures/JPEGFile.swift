/// The parts of a JPEG file that its picture needs (ITU-T T.81, annex B).
///
/// Comments, previews, profiles and data after the picture are skipped.
struct JPEGFile {
  static let signature: [UInt8] = [0xff, 0xd8, 0xff]
  /// A progressive file has about ten. Each scan costs a pass over the whole picture, however small it is.
  private static let maximumScans = 64

  private(set) var strippedFile: [UInt8] = [0xff, 0xd8]
  /// The Exif orientation, 1…8.
  private(set) var orientation = 1
  private var hasFrame = false
  private var scans = 0

  /// - Throws: ``CodecError/corrupt(codec:reason:)``, ``CodecError/unsupportedSize(width:height:)``,
  ///   ``CodecError/unsupportedPixelFormat(_:)``
  init(_ file: [UInt8]) throws(CodecError) {
    var place = 2
    while true {
      guard place + 1 < file.count else { throw .corrupt(codec: "JPEG", reason: "the file ends before its end marker") }
      guard file[place] == 0xff else { throw .corrupt(codec: "JPEG", reason: "there is no marker at byte \(place)") }
      let marker = file[place + 1]
      switch marker {
      case 0xff: place += 1
      case 0x01, 0xd0...0xd7: place += 2
      case 0xd9:
        guard scans > 0 else { throw .corrupt(codec: "JPEG", reason: "the file contains no picture") }
        strippedFile += [0xff, 0xd9]
        return
      default:
        let length = file.bigEndian(at: place + 2, bytes: 2)
        var end = place + 2 + length
        guard length >= 2, end <= file.count else {
          throw .corrupt(codec: "JPEG", reason: "a segment of \(length) bytes extends beyond the end")
        }
        let isKept = try read(marker, Array(file[place + 4..<max(place + 4, end)]))
        // The compressed data ends at the next marker that is not part of it.
        if marker == 0xda { while end < file.count, !Self.isMarker(file, at: end) { end += 1 } }
        if isKept { strippedFile += file[place..<end] }
        place = end
      }
    }
  }

  private static func isMarker(_ file: [UInt8], at place: Int) -> Bool {
    guard file[place] == 0xff, place + 1 < file.count else { return false }
    let next = file[place + 1]
    return next != 0 && !(0xd0...0xd7).contains(next)
  }

  /// Processes a segment. Returns whether it is kept.
  private mutating func read(_ marker: UInt8, _ segment: [UInt8]) throws(CodecError) -> Bool {
    switch marker {
    case 0xc0, 0xc1, 0xc2:
      try readFrame(segment)
      return true
    case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
      throw .unsupportedPixelFormat("of a lossless, hierarchical or arithmetic JPEG file")
    case 0xda:
      guard hasFrame else { throw .corrupt(codec: "JPEG", reason: "the picture precedes the header") }
      scans += 1
      guard scans <= Self.maximumScans else {
        throw .corrupt(codec: "JPEG", reason: "the file has more than \(Self.maximumScans) scans")
      }
      return true
    case 0xe1:
      if let exif = ExifOrientation(segment) { orientation = exif.value }
      return false
    // Tables, the restart interval, and Adobe's colour transform.
    case 0xc4, 0xdb, 0xdd: return true
    case 0xee: return segment.starts(with: "Adobe".utf8)
    default: return false
    }
  }

  private mutating func readFrame(_ segment: [UInt8]) throws(CodecError) {
    guard !hasFrame else { throw .corrupt(codec: "JPEG", reason: "the file has two headers") }
    guard segment.count >= 6 else { throw .corrupt(codec: "JPEG", reason: "the header has \(segment.count) bytes") }
    hasFrame = true
    guard segment[0] == 8 else { throw .unsupportedPixelFormat("of a JPEG file with \(segment[0]) bits per sample") }
    guard segment[5] == 1 || segment[5] == 3 else {
      throw .unsupportedPixelFormat("of a JPEG file with \(segment[5]) components, such as CMYK")
    }
    let (width, height) = (segment.bigEndian(at: 3, bytes: 2), segment.bigEndian(at: 1, bytes: 2))
    guard VideoFrame.isSupported(width: width, height: height) else { throw .unsupportedSize(width: width, height: height) }
  }
}

/// The camera orientation in an Exif segment (Exif 2.3, tag 0x0112).
private struct ExifOrientation {
  /// The orientation, 1…8.
  let value: Int

  /// Returns nil if the segment has no orientation.
  init?(_ segment: [UInt8]) {
    guard segment.starts(with: "Exif\0\0".utf8) else { return nil }
    let tiff = Array(segment.dropFirst(6))
    let isLittle = tiff.starts(with: "II".utf8)
    guard isLittle || tiff.starts(with: "MM".utf8) else { return nil }
    func number(_ place: Int, _ bytes: Int) -> Int {
      isLittle
        ? (0..<bytes).reversed().reduce(0) { $0 << 8 | tiff.bigEndian(at: place + $1, bytes: 1) }
        : tiff.bigEndian(at: place, bytes: bytes)
    }
    let directory = number(4, 4)
    let entries = (0..<number(directory, 2)).lazy.map { directory + 2 + $0 * 12 }
    guard let entry = entries.first(where: { $0 + 12 > tiff.count || number($0, 2) == 0x0112 }), entry + 12 <= tiff.count,
      (1...8).contains(number(entry + 8, 2))
    else { return nil }
    value = number(entry + 8, 2)
  }
}
