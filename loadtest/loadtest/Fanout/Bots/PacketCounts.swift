/// The limit above which a gap between packets interrupts playback.
enum StreamPause {
  /// Microseconds: more than the 60 ms that a jitter buffer holds.
  static let limit: Int64 = 60_000
}

/// The counters of one subscriber, or the sum of several.
struct PacketCounts: Sendable, Equatable {
  /// Distinct RTP packets.
  var received = 0
  /// Gaps in sequence numbers, in packets.
  var lost = 0
  var duplicates = 0
  /// Number of times that an audio stream paused for longer than `StreamPause.limit`.
  var pauses = 0
  /// Packets of RTX streams, although none were requested.
  var repairs = 0
  /// Bytes of datagrams with RTP.
  var bytes = 0
  /// Packets that were decrypted as a sample, and how many of them failed to decrypt.
  var sampled = 0
  var unauthentic = 0
  /// Datagrams dropped because the bots' socket buffers were full.
  var drops = 0
  var delays = PacketDelays()
  /// Streams of which a packet arrived within the last second.
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
    left.drops += right.drops
    left.delays += right.delays
    left.liveStreams += right.liveStreams
  }
}
