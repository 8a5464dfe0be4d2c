/// The packets that a sender keeps for retransmission, in one slab that is allocated once. No call allocates.
public struct PacketHistory: ~Copyable {
  /// Limits on what is kept and how often a packet is resent.
  public struct Limits: Sendable {
    /// The number of packets; rounded up to a power of two, 16 … 16,384.
    public var capacity: Int
    /// The maximum packet size in bytes; larger packets are not kept.
    public var packetSize: Int
    /// The age in microseconds after which a packet is no longer resent.
    public var maximumAge: Int64
    /// The maximum number of times one packet is resent, 1 … 255.
    public var maximumResends: Int

    /// Creates the limits of one history.
    public init(capacity: Int = 512, packetSize: Int = 1500, maximumAge: Int64 = 2_000_000, maximumResends: Int = 10) {
      self.capacity = capacity
      self.packetSize = packetSize
      self.maximumAge = maximumAge
      self.maximumResends = maximumResends
    }
  }

  private struct Entry {
    var sequenceNumber: UInt16 = 0
    var length = 0
    var resends = 0
    var sentAt: Int64 = 0
    var lastSentAt: Int64 = 0
  }

  private let limits: Limits
  private let capacity: Int
  private let entries: UnsafeMutablePointer<Entry>
  private let slab: UnsafeMutableRawPointer

  /// The number of packets that were resent.
  public private(set) var resendCount: UInt64 = 0
  /// The number of packets that were requested but not resent: unknown, too old, too often or too soon.
  public private(set) var refusalCount: UInt64 = 0

  /// Creates an empty history and allocates its slab: capacity times packet size.
  public init(_ limits: Limits = Limits()) {
    var size = 16
    while size < min(limits.capacity, 16_384) { size *= 2 }
    self.limits = limits
    capacity = size
    entries = .allocate(capacity: size)
    entries.initialize(repeating: Entry(), count: size)
    slab = .allocate(byteCount: size * max(0, limits.packetSize), alignment: 16)
  }

  deinit {
    entries.deallocate()
    slab.deallocate()
  }

  /// Stores a copy of a whole packet, replacing the packet `capacity` sequence numbers before it.
  public mutating func store(_ packet: UnsafeRawBufferPointer, sequenceNumber: UInt16, now: Instant) {
    let index = Int(sequenceNumber) & (capacity - 1)
    guard packet.count <= limits.packetSize, let source = packet.baseAddress else {
      entries[index].length = 0
      return
    }
    (slab + index * limits.packetSize).copyMemory(from: source, byteCount: packet.count)
    entries[index] = Entry(
      sequenceNumber: sequenceNumber, length: packet.count, resends: 0, sentAt: now.microseconds,
      lastSentAt: now.microseconds)
  }

  /// Returns the packet to resend now. Returns nil if it is missing, too old, resent too often, or was sent less than
  /// `minimumInterval` microseconds ago (the round trip: it may still be in transit). The result is valid until the next
  /// `store`.
  public mutating func resend(
    _ sequenceNumber: UInt16, now: Instant, minimumInterval: Int64 = 0
  ) -> UnsafeRawBufferPointer? {
    let index = Int(sequenceNumber) & (capacity - 1)
    let entry = entries[index]
    guard entry.length > 0, entry.sequenceNumber == sequenceNumber, entry.resends < limits.maximumResends,
      now.microseconds &- entry.sentAt <= limits.maximumAge, now.microseconds &- entry.lastSentAt >= minimumInterval
    else {
      refusalCount += 1
      return nil
    }
    entries[index].resends += 1
    entries[index].lastSentAt = now.microseconds
    resendCount += 1
    return UnsafeRawBufferPointer(start: slab + index * limits.packetSize, count: entry.length)
  }
}
