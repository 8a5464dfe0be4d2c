/// The packets that a sender may be asked for again, in one slab that is allocated once. No call allocates.
public struct PacketHistory: ~Copyable {
  /// Limits of what is kept, and of how often it is given.
  public struct Limits: Sendable {
    /// How many packets; rounded up to a power of two, 16 … 16,384.
    public var capacity: Int
    /// Larger packets are not kept.
    public var packetSize: Int
    /// Microseconds after which a packet is no longer given.
    public var maximumAge: Int64
    /// How often one packet is given, 1 … 255.
    public var maximumResends: Int

    /// Limits of one history; the age in microseconds.
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

  /// How many packets were given again.
  public private(set) var resendCount: UInt64 = 0
  /// How many were asked for and not given: unknown, too old, too often or too soon.
  public private(set) var refusalCount: UInt64 = 0

  /// Empty; allocates the slab: capacity times packet size.
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

  /// Keeps a copy of a whole packet, over the one `capacity` numbers before it.
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

  /// The packet, to be sent again now; nil where it is not there, too old, given too often, or was sent less than
  /// `minimumInterval` microseconds ago (the round trip: then it may still be on its way). Valid until the next `store`.
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
