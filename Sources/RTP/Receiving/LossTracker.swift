/// Tracks which packets of one stream are missing and when to request each of them (RFC 4585 generic NACK). A fixed ring,
/// allocated once; no call allocates.
public struct LossTracker: ~Copyable {
  /// How long and how often a missing packet is requested.
  public struct Policy: Sendable {
    /// The number of packets to remember, counted from the newest; rounded up to a power of two, at least 64, at most 16,384.
    public var window: Int
    /// The time in microseconds from detecting a gap to the first request, to tolerate reordering.
    public var reorderTolerance: Int64
    /// The minimum time in microseconds between two requests for one packet; a longer round trip extends it.
    public var retryInterval: Int64
    /// The maximum number of requests for one packet before it is given up: 1 … 250.
    public var maximumRequests: Int
    /// The time in microseconds after which a missing packet is given up.
    public var patience: Int64

    /// Creates a policy; times in microseconds.
    public init(
      window: Int = 1024, reorderTolerance: Int64 = 5_000, retryInterval: Int64 = 20_000, maximumRequests: Int = 10,
      patience: Int64 = 1_000_000
    ) {
      self.window = window
      self.reorderTolerance = reorderTolerance
      self.retryInterval = retryInterval
      self.maximumRequests = maximumRequests
      self.patience = patience
    }

    /// The policy for video: one second of patience, because a key frame costs more than a wait.
    public static let video = Policy()
    /// The policy for audio: packets that arrive after more than 250 ms are useless.
    public static let audio = Policy(window: 256, maximumRequests: 5, patience: 250_000)
  }

  /// The classification of an arrived packet.
  public enum Arrival: Equatable, Sendable {
    /// The first packet, or the next in order.
    case inOrder
    /// Newer than expected; this many packets before it are missing.
    case afterGap(Int)
    /// An older packet that was missing: late or repaired.
    case filledGap
    /// The packet had already arrived.
    case duplicate
    /// Older than the window, or already given up.
    case late
    /// So far from the other packets that the stream is assumed to have restarted.
    case restarted
  }

  @usableFromInline enum State: UInt8 { case unknown, missing, received, abandoned }

  @usableFromInline struct Entry {
    var state = State.unknown
    var requests: UInt8 = 0
    /// The time in microseconds at which the loss was detected, on the caller's clock.
    var since: Int64 = 0
    /// The time in microseconds at which to request the packet.
    var due: Int64 = 0
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let capacity: Int64
  private let policy: Policy
  private var unwrapper = SequenceUnwrapper()
  private var oldestMissing: Int64 = 0
  private var outsiders = 0

  /// The number of packets that are missing and not given up.
  public private(set) var missingCount = 0
  /// The total number of packets given up.
  public private(set) var abandonedCount: UInt64 = 0
  /// The total number of requests returned.
  public private(set) var requestCount: UInt64 = 0
  /// The time at which the next request is due or a packet is given up; nil if nothing is missing.
  public private(set) var deadline: Instant?

  /// Creates an empty tracker and allocates its ring.
  public init(_ policy: Policy = .video) {
    var size = 64
    while size < min(policy.window, 16_384) { size *= 2 }
    capacity = Int64(size)
    self.policy = policy
    entries = .allocate(capacity: size)
    entries.initialize(repeating: Entry(), count: size)
  }

  deinit { entries.deallocate() }

  /// The highest sequence number so far, unwrapped; nil before the first packet.
  public var highest: Int64? { unwrapper.highest }

  private func entry(_ sequence: Int64) -> UnsafeMutablePointer<Entry> { entries + Int(sequence & (capacity - 1)) }

  /// Records a received packet.
  public mutating func receive(_ sequenceNumber: UInt16, now: Instant) -> Arrival {
    guard let highest = unwrapper.highest else {
      begin(at: sequenceNumber)
      return .inOrder
    }
    let sequence = unwrapper.peek(sequenceNumber)
    let gap = sequence - highest - 1
    if gap >= 0 {
      guard gap < capacity / 2 else { return handleOutlier(sequenceNumber) }
      outsiders = 0
      _ = unwrapper.unwrap(sequenceNumber)
      notice(after: highest, upTo: sequence, now: now)
      set(sequence, .received)
      return gap == 0 ? .inOrder : .afterGap(Int(gap))
    }
    guard sequence > highest - capacity else { return handleOutlier(sequenceNumber) }
    outsiders = 0
    switch entry(sequence).pointee.state {
    case .missing:
      missingCount -= 1
      set(sequence, .received)
      settle()
      return .filledGap
    case .received:
      return .duplicate
    case .abandoned:
      set(sequence, .received)
      return .late
    case .unknown:
      // Sent before the first packet that arrived.
      set(sequence, .received)
      return .filledGap
    }
  }

  /// Handles a packet far from all others: a single one is a stray, several in a row show that the sender restarted (RFC 3550
  /// §A.1).
  private mutating func handleOutlier(_ sequenceNumber: UInt16) -> Arrival {
    outsiders += 1
    guard outsiders > 3 else { return .late }
    abandonedCount += UInt64(missingCount)
    begin(at: sequenceNumber)
    return .restarted
  }

  private mutating func begin(at sequenceNumber: UInt16) {
    entries.update(repeating: Entry(), count: Int(capacity))
    unwrapper.reset()
    let first = unwrapper.unwrap(sequenceNumber)
    set(first, .received)
    missingCount = 0
    oldestMissing = first + 1
    outsiders = 0
    deadline = nil
  }

  private func set(_ sequence: Int64, _ state: State) { entry(sequence).pointee.state = state }

  /// Marks every packet between two packets as missing, overwriting those that leave the window.
  private mutating func notice(after highest: Int64, upTo sequence: Int64, now: Instant) {
    var current = highest + 1
    while current <= sequence {
      let entry = entry(current)
      if entry.pointee.state == .missing {
        missingCount -= 1
        abandonedCount += 1
      }
      if current < sequence {
        entry.pointee = Entry(
          state: .missing, requests: 0, since: now.microseconds, due: now.microseconds &+ policy.reorderTolerance)
        if missingCount == 0 { oldestMissing = current }
        missingCount += 1
      } else {
        entry.pointee = Entry()
      }
      current += 1
    }
    oldestMissing = max(oldestMissing, sequence - capacity + 1)
    if missingCount == 0 {
      deadline = nil
    } else if sequence > highest + 1 {
      let due = now.advanced(microseconds: policy.reorderTolerance)
      deadline = min(deadline ?? due, due)
    }
  }

  private mutating func settle() {
    if missingCount == 0 { deadline = nil }
  }

  /// Writes the packets to request now, in ascending order, and counts the request for each. Gives up packets that were
  /// requested often enough or for long enough.
  /// - Parameters:
  ///   - roundTrip: the round-trip time in microseconds, if known; a repeated request waits at least that long.
  ///   - output: receives the numbers; packets that do not fit remain due.
  /// - Returns: the number of packets written.
  public mutating func requests(
    now: Instant, roundTrip: Int64 = 0, into output: UnsafeMutableBufferPointer<UInt16>
  ) -> Int {
    guard missingCount > 0, let highest = unwrapper.highest, let deadline, now >= deadline else { return 0 }
    let interval = max(policy.retryInterval, roundTrip &+ roundTrip / 4)
    var written = 0
    var seen = 0
    var next = Int64.max
    var oldest = highest
    let toSee = missingCount
    var sequence = oldestMissing
    while sequence < highest, seen < toSee {
      defer { sequence += 1 }
      let entry = entry(sequence)
      guard entry.pointee.state == .missing else { continue }
      seen += 1
      let end = entry.pointee.since &+ policy.patience
      if now.microseconds >= end
        || (Int(entry.pointee.requests) >= policy.maximumRequests && now.microseconds >= entry.pointee.due)
      {
        entry.pointee.state = .abandoned
        missingCount -= 1
        abandonedCount += 1
        continue
      }
      if now.microseconds >= entry.pointee.due, written < output.count {
        output[written] = UInt16(truncatingIfNeeded: sequence)
        written += 1
        entry.pointee.requests = min(254, entry.pointee.requests) + 1
        entry.pointee.due = now.microseconds &+ interval
      }
      oldest = min(oldest, sequence)
      next = min(next, entry.pointee.due, end)
    }
    oldestMissing = oldest
    requestCount += UInt64(written)
    self.deadline = missingCount == 0 ? nil : Instant(microseconds: next)
    return written
  }
}
