import RTP

/// What was sent under which transport-wide sequence number, until the far end's feedback says what became of it.
struct SentPackets {
  /// Eight seconds of 500 packets: feedback that is older says nothing of use.
  static let window = 4096

  private enum Fate: UInt8 { case none, unknown, lost, arrived }
  private struct Entry {
    var sequence: Int64 = -1
    var sent = Instant(microseconds: 0)
    var size: Int32 = 0
    var fate = Fate.none
  }

  private var entries = [Entry](repeating: Entry(), count: Self.window)
  private var next: Int64 = 0

  /// The number for the packet that leaves now.
  var nextSequence: UInt16 { UInt16(truncatingIfNeeded: next) }

  /// Takes note that the packet with `nextSequence` left.
  mutating func sent(size: Int, at now: Instant) {
    entries[index(next)] = Entry(sequence: next, sent: now, size: Int32(truncatingIfNeeded: size), fate: .unknown)
    next += 1
  }

  /// What a feedback packet tells that was not known before, in the order of sending. A loss counts once; a packet that was
  /// reported lost and came after all counts as arrived.
  mutating func fates(_ feedback: TransportFeedback) -> [PacketFate] {
    var fates: [PacketFate] = []
    for status in feedback {
      // The nearest number before the next one.
      let back = Int64(UInt16(truncatingIfNeeded: next) &- status.sequenceNumber)
      let sequence = next - (back == 0 ? 65_536 : back)
      guard sequence >= 0, next - sequence <= Int64(Self.window) else { continue }
      let slot = index(sequence)
      guard entries[slot].sequence == sequence else { continue }
      switch (entries[slot].fate, status.arrival) {
      case (.unknown, nil): entries[slot].fate = .lost
      case (.unknown, .some), (.lost, .some): entries[slot].fate = .arrived
      default: continue
      }
      fates.append(
        PacketFate(
          sent: entries[slot].sent, size: Int(entries[slot].size),
          arrival: status.arrival.map { Instant(microseconds: $0) }))
    }
    return fates
  }

  private func index(_ sequence: Int64) -> Int { Int(sequence & Int64(Self.window - 1)) }
}
