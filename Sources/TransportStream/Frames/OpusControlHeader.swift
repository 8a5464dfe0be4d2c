/// The control header before each Opus packet in a transport stream ("Encapsulation of Opus in MPEG-TS", §5: opus_control_header).
struct OpusControlHeader {
  enum Result {
    /// The header ends beyond the bytes.
    case incomplete
    case invalid
    case header(OpusControlHeader)
  }

  /// The largest packet in bytes: 48 frames of 1275 bytes, and their lengths.
  private static let longest = 61_440

  /// The length of the header in bytes.
  var length: Int
  /// The length of the packet in bytes.
  var packetLength: Int

  /// Parses a header at the front of the bytes.
  static func parse(_ bytes: ArraySlice<UInt8>) -> Result {
    var rest = bytes
    guard let first = rest.popFirst() else { return .incomplete }
    guard first == 0x7f else { return .invalid }
    guard let flags = rest.popFirst() else { return .incomplete }
    guard flags & 0xe0 == 0xe0 else { return .invalid }
    var header = OpusControlHeader(length: 0, packetLength: 0)
    while true {
      guard let part = rest.popFirst() else { return .incomplete }
      header.packetLength += Int(part)
      guard header.packetLength <= longest else { return .invalid }
      if part < 255 { break }
    }
    // start_trim and end_trim. Trimmed samples are played: ffmpeg's timestamps count them, and decoders need those at the start.
    let trims = (flags & 0x10 != 0 ? 2 : 0) + (flags & 0x08 != 0 ? 2 : 0)
    guard rest.count >= trims else { return .incomplete }
    rest = rest.dropFirst(trims)
    if flags & 0x04 != 0 {
      guard let extensionLength = rest.popFirst(), rest.count >= Int(extensionLength) else { return .incomplete }
      rest = rest.dropFirst(Int(extensionLength))
    }
    header.length = bytes.count - rest.count
    return header.packetLength > 0 ? .header(header) : .invalid
  }
}
