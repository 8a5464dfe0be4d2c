import RoomRTP

/// The packets sent to one subscriber, by transport-wide sequence number, until its feedback reports their outcome.
///
/// 8 bytes a packet. It begins with the 256 packets of which most subscribers' feedback comes in time, and grows to 1024: 2 s at
/// 500 packets per second. Older feedback is ignored.
struct SentRing: BitwiseCopyable {
  static let firstCapacity = 256
  static let longestCapacity = 1024
  /// Times are in units of 16 µs, so that 32 bits last for 19 hours.
  private static let shift: Int64 = 4

  private enum Outcome { static let unknown: UInt16 = 1, lost: UInt16 = 2, arrived: UInt16 = 3 }

  struct Entry: BitwiseCopyable {
    var time: UInt32 = 0
    /// From the lowest bit: 11 bits of size, 3 of the probe's identifier, 2 of the outcome. 0 is an unused entry.
    var bits: UInt16 = 0
    var sequence: UInt16 = 0
  }

  private var entries: UnsafeMutablePointer<Entry>
  /// A power of two.
  private(set) var capacity = firstCapacity
  /// Whether a packet was overwritten before its outcome was known.
  private var isTooSmall = false

  init() { entries = Self.allocate(Self.firstCapacity) }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
    return entries
  }

  func free() { entries.deallocate() }

  /// Grows if packets were overwritten too soon. Not part of the packet path: it allocates.
  mutating func growIfTooSmall() {
    guard isTooSmall else { return }
    isTooSmall = false
    guard capacity < Self.longestCapacity else { return }
    let larger = Self.allocate(2 * capacity)
    for index in 0..<capacity where entries[index].bits != 0 {
      larger[Int(entries[index].sequence) & (2 * capacity - 1)] = entries[index]
    }
    entries.deallocate()
    entries = larger
    capacity *= 2
  }

  @inline(__always) private func place(_ sequence: UInt16) -> UnsafeMutablePointer<Entry> {
    entries + (Int(sequence) & (capacity &- 1))
  }

  @inline(__always) mutating func record(_ sequence: UInt16, size: Int, probe: UInt8, at now: Instant) {
    let place = self.place(sequence)
    if place.pointee.bits >> 14 == Outcome.unknown { isTooSmall = true }
    place.pointee = Entry(
      time: UInt32(truncatingIfNeeded: now.microseconds >> Self.shift),
      bits: UInt16(truncatingIfNeeded: min(size, 0x7FF)) | UInt16(probe & 7) << 11 | Outcome.unknown << 14,
      sequence: sequence)
  }

  /// Passes the new information in a feedback packet to `take`, in sending order. A loss counts once; a packet that was
  /// reported lost and arrived later counts as arrived.
  /// - Parameter probe: the identifier of the current probe, 0 if none; entries have its lowest bits.
  func take(_ feedback: TransportFeedback, probe: UInt8, now: Instant, _ take: (PacketOutcome) -> Void) {
    for status in feedback {
      let entry = place(status.sequenceNumber)
      guard entry.pointee.bits != 0, entry.pointee.sequence == status.sequenceNumber else { continue }
      let outcome: UInt16
      switch (entry.pointee.bits >> 14, status.arrival) {
      case (Outcome.unknown, nil): outcome = Outcome.lost
      case (Outcome.unknown, .some), (Outcome.lost, .some): outcome = Outcome.arrived
      default: continue
      }
      entry.pointee.bits = entry.pointee.bits & 0x3FFF | outcome << 14
      let age = UInt32(truncatingIfNeeded: now.microseconds >> Self.shift) &- entry.pointee.time
      let mark = UInt8(truncatingIfNeeded: entry.pointee.bits >> 11 & 7)
      take(
        PacketOutcome(
          sent: now.advanced(microseconds: -(Int64(age) << Self.shift)), size: Int(entry.pointee.bits & 0x7FF),
          arrival: status.arrival.map { Instant(microseconds: $0) }, probe: mark != 0 && mark == probe & 7 ? probe : 0))
    }
  }
}
