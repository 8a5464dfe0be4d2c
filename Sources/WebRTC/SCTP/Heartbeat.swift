import RoomRTP

/// Asks the other side for a sign of life after some silence, and measures the round trip (RFC 9260 §8.3).
struct Heartbeat {
  private let interval: Int64
  private(set) var deadline: Instant?
  private var awaited: UInt64?

  /// - Parameter interval: microseconds of silence.
  init(interval: Int64) { self.interval = interval }

  /// Begins the silence again. A heartbeat that is under way must still be answered.
  mutating func heard(now: Instant) {
    if awaited == nil { deadline = now.advanced(microseconds: interval) }
  }

  /// Returns whether the last heartbeat was not answered, and the next one; nil if none is due.
  mutating func next(now: Instant, timeout: Int64) -> (isMissed: Bool, chunk: [UInt8])? {
    guard let due = deadline, due <= now else { return nil }
    let isMissed = awaited != nil
    let nonce = UInt64.random(in: .min ... .max)
    awaited = nonce
    deadline = now.advanced(microseconds: timeout)
    return (
      isMissed,
      SCTPWriter.alone(.heartbeat) { writer in
        writer.parameter(1) { writer in
          writer.append(nonce)
          writer.append(now.microseconds)
        }
      }
    )
  }

  /// Returns the round trip if this HEARTBEAT-ACK answers the last heartbeat.
  mutating func answered(_ chunk: SCTPChunk, now: Instant) -> Int64? {
    guard chunk.value.count == 20, let awaited, chunk.value.bigEndian64(at: 4) == awaited else { return nil }
    self.awaited = nil
    heard(now: now)
    return now - Instant(microseconds: Int64(bitPattern: chunk.value.bigEndian64(at: 12)))
  }
}
