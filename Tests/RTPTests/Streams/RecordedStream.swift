import Foundation
import RoomRTP
import Testing

/// RTP packets of a real sender, from a pcap file next to the checkout.
struct RecordedStream {
  /// The packets of one SSRC in file order, with their capture times.
  var packets: [(time: Instant, bytes: [UInt8])]

  /// The folder ../shared/data/pcap, relative to the root of the checkout.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data/pcap")

  static var areThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  /// Reads a recording. Returns nil if the file is missing or not a little-endian pcap of Ethernet.
  init?(_ name: String) {
    guard let data = try? Data(contentsOf: Self.folder.appendingPathComponent("\(name).pcap")) else { return nil }
    let bytes = [UInt8](data)
    func word(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    guard bytes.count > 24, word(0) == 0xa1b2_c3d4 else { return nil }
    packets = []
    var position = 24
    while position + 16 <= bytes.count {
      let length = word(position + 8)
      let time = Instant(microseconds: Int64(word(position)) * 1_000_000 + Int64(word(position + 4)))
      let frame = bytes[(position + 16)..<(position + 16 + length)]
      // Ethernet, IPv4 without options, UDP.
      packets.append((time, Array(frame.dropFirst(14 + 20 + 8))))
      position += 16 + length
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs the test only if the recorded streams are next to the checkout.
  static var needsRecordedStreams: Self { .enabled(if: RecordedStream.areThere, "no ../shared/data/pcap next to the checkout") }
}
