import RoomRTP

/// The packets sent, by transport-wide sequence number, until the far end's feedback reports their outcome.
struct SentPackets {
  /// Eight seconds at 500 packets per second; older feedback is useless.
  static let window = 4096

  private enum Outcome: UInt8 { case none, unknown, lost, arrived }
  private struct Entry {
    var sequence: Int64 = -1
    var sent = Instant(microseconds: 0)
    var size: Int32 = 0
    var probe: UInt8 = 0
    var outcome = Outcome.none
  }

  private var entries = [Entry](repeating: Entry(), count: Self.window)
  private var next: Int64 = 0

  /// The number of the packet that is sent next.
  var nextSequence: UInt16 { UInt16(truncatingIfNeeded: next) }

  /// Records that the packet with `nextSequence` was sent.
  mutating func sent(size: Int, probe: UInt8, at now: Instant) {
    entries[index(next)] = Entry(
      sequence: next, sent: now, size: Int32(truncatingIfNeeded: size), probe: probe, outcome: .unknown)
    next += 1
  }

  /// Passes the new information in a feedback packet to `take`, in sending order. A loss counts once; a packet that was
  /// reported lost and arrived later counts as arrived.
  mutating func take(_ feedback: TransportFeedback, _ take: (PacketOutcome) -> Void) {
    for status in feedback {
      // The number nearest below the next one.
      let back = Int64(UInt16(truncatingIfNeeded: next) &- status.sequenceNumber)
      let sequence = next - (back == 0 ? 65_536 : back)
      guard sequence >= 0, next - sequence <= Int64(Self.window) else { continue }
      let slot = index(sequence)
      guard entries[slot].sequence == sequence else { continue }
      switch (entries[slot].outcome, status.arrival) {
      case (.unknown, nil): entries[slot].outcome = .lost
      case (.unknown, .some), (.lost, .some): entries[slot].outcome = .arrived
      default: continue
      }
      take(
        PacketOutcome(
          sent: entries[slot].sent, size: Int(entries[slot].size),
          arrival: status.arrival.map { Instant(microseconds: $0) }, probe: entries[slot].probe))
    }
  }

  private func index(_ sequence: Int64) -> Int { Int(sequence & Int64(Self.window - 1)) }
}
