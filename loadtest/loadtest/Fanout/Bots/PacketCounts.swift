/// When the packets of a stream come too late for whoever plays it.
enum StreamPause {
  /// Microseconds: more than the 60 ms that a jitter buffer keeps.
  static let limit: Int64 = 60_000
}

/// What a subscriber counted, or many of them together.
struct PacketCounts: Sendable, Equatable {
  /// Different RTP packets.
  var received = 0
  /// Packets whose numbers are missing between others.
  var lost = 0
  var duplicates = 0
  /// Times that a stream of sound paused for longer than `StreamPause.limit`.
  var pauses = 0
  /// Packets of repair streams; nobody asked for any.
  var repairs = 0
  /// Bytes of the datagrams with RTP.
  var bytes = 0
  /// Packets that were decrypted for a test, and those of them that could not be.
  var sampled = 0
  var unauthentic = 0
  /// Streams of which a packet came within the last second.
  var liveStreams = 0

  static func += (left: inout PacketCounts, right: PacketCounts) {
    left.received += right.received
    left.lost += right.lost
    left.duplicates += right.duplicates
    left.pauses += right.pauses
    left.repairs += right.repairs
    left.bytes += right.bytes
    left.sampled += right.sampled
    left.unauthentic += right.unauthentic
    left.liveStreams += right.liveStreams
  }
}
