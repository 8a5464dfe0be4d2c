import RoomLinkModel
import RoomRTP

/// What happened to the packets of one direction.
public struct LinkLog: Sendable {
  /// 100 ms of the link.
  public struct Slot: Sendable, Codable, Hashable {
    /// Bytes that entered the link, including those it dropped.
    public var offered = 0
    /// Bytes that left the link.
    public var delivered = 0
    /// Packets that were lost or dropped.
    public var dropped = 0
    /// The longest wait in the queue, in milliseconds.
    public var queue = 0.0
  }

  /// Microseconds of a slot.
  public static let slot: Int64 = 100_000
  /// Slots after an hour are not recorded.
  static let slotLimit = 36_000

  public private(set) var packets = 0
  public private(set) var bytes = 0
  public private(set) var deliveredPackets = 0
  public private(set) var deliveredBytes = 0
  /// Packets lost at random.
  public private(set) var lost = 0
  /// Packets dropped because the queue was full.
  public private(set) var overflowed = 0
  /// Packets dropped because too many were in transit.
  public private(set) var refused = 0
  public private(set) var slots: [Slot] = []
  private var waits = TimeHistogram(width: 1000, classes: 10_001)
  private let start: Instant

  init(start: Instant) { self.start = start }

  /// Records a packet that enters the link.
  /// - Parameters:
  ///   - wait: microseconds that the packet waits in the queue.
  ///   - fate: nil if too many packets were in transit.
  mutating func enter(bytes count: Int, wait: Int64, fate: LinkModel.Fate?, at now: Instant) {
    packets += 1
    bytes += count
    var arrives = false
    switch fate {
    case .arrives, .arrivesTwice: arrives = true
    case .lost: lost += 1
    case .overflowed: overflowed += 1
    case nil: refused += 1
    }
    if arrives { waits.add(wait) }
    update(at: now) { slot in
      slot.offered += count
      if arrives { slot.queue = max(slot.queue, Double(wait) / 1000) } else { slot.dropped += 1 }
    }
  }

  /// Records a packet that leaves the link.
  mutating func leave(bytes count: Int, at now: Instant) {
    deliveredPackets += 1
    deliveredBytes += count
    update(at: now) { $0.delivered += count }
  }

  /// Returns the wait in the queue in milliseconds that `share` (0…1) of the delivered packets do not exceed.
  public func queue(_ share: Double) -> Double { waits.milliseconds(share) }
  /// The longest wait in the queue in milliseconds.
  public var longestQueue: Double { Double(waits.longest) / 1000 }

  private mutating func update(at now: Instant, _ change: (inout Slot) -> Void) {
    let index = Int((now - start) / Self.slot)
    guard index >= 0, index < Self.slotLimit else { return }
    while slots.count <= index { slots.append(Slot()) }
    change(&slots[index])
  }
}
