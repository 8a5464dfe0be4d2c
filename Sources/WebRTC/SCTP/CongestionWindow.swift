/// Slow start, congestion avoidance and the reaction to losses of RFC 9260 §7.2, in bytes of DATA chunks.
struct CongestionWindow {
  /// More would only fill queues: 1 MiB in 100 ms are 84 Mbit/s.
  private static let maximum = 4 * 1024 * 1024

  private let packet: Int
  private(set) var value: Int
  private var threshold: Int
  private var acknowledged = 0

  /// - Parameter packet: maximum number of bytes of chunks in a packet.
  init(packet: Int, threshold: Int) {
    self.packet = packet
    self.threshold = threshold
    value = min(4 * packet, max(2 * packet, 4404))
  }

  /// Grows after an acknowledgement while the window was in full use.
  mutating func grow(acknowledged bytes: Int) {
    if value <= threshold {
      value += min(bytes, packet)
    } else {
      acknowledged += bytes
      if acknowledged >= value {
        acknowledged -= value
        value += packet
      }
    }
    value = min(value, Self.maximum)
  }

  /// Halves the window, once in a round trip (§7.2.4).
  mutating func lost() {
    threshold = max(value / 2, 4 * packet)
    value = threshold
    acknowledged = 0
  }

  /// Begins again with one packet after a timeout (§7.2.3).
  mutating func timedOut() {
    threshold = max(value / 2, 4 * packet)
    value = packet
    acknowledged = 0
  }

  /// Decays after a time without data (§7.2.1), because the path may have changed.
  mutating func idled() { value = max(value / 2, min(value, 4 * packet)) }
}
