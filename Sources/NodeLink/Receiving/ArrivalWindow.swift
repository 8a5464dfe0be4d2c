import RoomRTP

/// Which of the newest datagrams have arrived, and when to request the missing ones. It refuses copies. A fixed ring, allocated
/// once; no call allocates.
struct ArrivalWindow: ~Copyable {
  struct Policy: Sendable {
    /// A missing datagram is requested after this time in microseconds, or once `reorderCount` later ones have arrived.
    var reorderTime: Int64 = 2_000
    var reorderCount: UInt64 = 8
    /// The minimum time in microseconds between two requests for one datagram; 1.5 round trips extend it.
    var retryInterval: Int64 = 10_000
    /// The time in microseconds after which a missing datagram is given up.
    var patience: Int64 = 1_000_000
    /// On a path with at least this round trip, the first request is repeated after the other time: the next one would be late. Microseconds.
    var longRoundTrip = LinkDatagram.longRoundTrip
    var repetition: Int64 = 8_000
  }

  private enum State: UInt8 { case unknown, missing, received, abandoned }

  private struct Entry {
    var state = State.unknown
    /// Requests, at most 2.
    var requests: UInt8 = 0
    var isRequested: Bool { requests > 0 }
    /// When it was found missing or has arrived, and when to request it; microseconds.
    var since: Int64 = 0
    var due: Int64 = 0
  }

  /// Numbers before the first received one are missing too if they are fewer than this.
  private static let firstNumbers: UInt64 = 64

  private let entries: UnsafeMutablePointer<Entry>
  private let capacity: UInt64
  private let policy: Policy
  private let floor: UInt64
  /// The highest number that is known to have been sent, and the highest received.
  private(set) var highest: UInt64
  private(set) var highestReceived: UInt64
  private var oldestMissing: UInt64 = 1
  /// At most the lowest missing number that was never requested; nil if there is none.
  private var firstUnrequested: UInt64?
  private(set) var missingCount = 0
  /// Totals: received, found missing, given up.
  private(set) var receivedTotal: UInt64 = 0
  private(set) var missedTotal: UInt64 = 0
  private(set) var lostTotal: UInt64 = 0
  /// When a request is due or a datagram is given up; nil if nothing is missing.
  private(set) var deadline: Instant?

  /// - Parameters:
  ///   - capacity: a power of two.
  ///   - number: the highest number received before; it and those before it are refused.
  init(capacity: Int, policy: Policy, after number: UInt64) {
    self.capacity = UInt64(capacity)
    self.policy = policy
    floor = number
    highest = number
    highestReceived = number
    entries = .allocate(capacity: capacity)
    entries.initialize(repeating: Entry(), count: capacity)
  }

  deinit { entries.deallocate() }

  private func entry(_ number: UInt64) -> UnsafeMutablePointer<Entry> {
    entries + Int(truncatingIfNeeded: number & (capacity - 1))
  }

  /// Whether a number is too old to know if it has arrived.
  func isOutside(_ number: UInt64) -> Bool { number <= floor || number + capacity <= highest }

  /// The lowest number that is not outside.
  var oldest: UInt64 { max(floor, highest >= capacity ? highest - capacity : 0) + 1 }

  /// Whether a number that is not outside has arrived before.
  func hasReceived(_ number: UInt64) -> Bool { number <= highest && entry(number).pointee.state == .received }

  /// Records an authentic datagram that is neither outside nor a copy.
  mutating func receive(_ number: UInt64, now: Instant) {
    if number > highest {
      begin(before: number)
      if number > highest + 1 { notice(upTo: number - 1, now: now) }
      evict(number)
      highest = number
    }
    let entry = entry(number)
    switch entry.pointee.state {
    case .missing: missingCount -= 1
    case .abandoned: lostTotal &-= 1
    case .unknown, .received: entry.pointee.requests = 0
    }
    entry.pointee.state = .received
    entry.pointee.since = now.microseconds
    receivedTotal &+= 1
    highestReceived = max(highestReceived, number)
    if missingCount == 0 {
      deadline = nil
      firstUnrequested = nil
    } else if let firstUnrequested, firstUnrequested + policy.reorderCount <= highestReceived {
      deadline = now
    }
  }

  /// Records that the sender has sent all numbers up to this one. What has not arrived of them is missing.
  mutating func notice(upTo number: UInt64, now: Instant) {
    guard number > highest, number <= LinkDatagram.highestNumber else { return }
    begin(before: number)
    if number - highest > capacity {
      // Those that the ring can't keep are lost at once.
      let skipped = number - highest - capacity
      missedTotal &+= skipped
      lostTotal &+= skipped
      giveUpAll()
      highest += skipped
    }
    let due = now.advanced(microseconds: policy.reorderTime)
    while highest < number {
      highest += 1
      evict(highest)
      entry(highest).pointee = Entry(state: .missing, since: now.microseconds, due: due.microseconds)
      if missingCount == 0 { oldestMissing = highest }
      missingCount += 1
      missedTotal &+= 1
      if firstUnrequested == nil { firstUnrequested = highest }
    }
    deadline = min(deadline ?? due, due)
  }

  /// Gives up the number whose place in the ring this one takes.
  private mutating func evict(_ number: UInt64) {
    let entry = entry(number)
    if entry.pointee.state == .missing {
      missingCount -= 1
      lostTotal &+= 1
    }
    entry.pointee.state = .unknown
  }

  /// At the first number: if it is high, nothing before it is missing.
  private mutating func begin(before number: UInt64) {
    if highest == floor, number - floor > Self.firstNumbers { highest = number - 1 }
  }

  /// Whether a number that has just arrived was requested.
  func wasRequested(_ number: UInt64) -> Bool { entry(number).pointee.isRequested }

  /// Returns when a datagram arrived that was never requested; nil for another one.
  func arrival(of number: UInt64) -> Instant? {
    guard !isOutside(number), hasReceived(number), !entry(number).pointee.isRequested else { return nil }
    return Instant(microseconds: entry(number).pointee.since)
  }

  private mutating func giveUpAll() {
    for index in 0..<Int(capacity) where entries[index].state == .missing {
      entries[index].state = .abandoned
      lostTotal &+= 1
    }
    missingCount = 0
    firstUnrequested = nil
    deadline = nil
  }

  /// Passes the numbers to request now to `body`, in ascending order, until it returns false; the others remain due. Gives up
  /// those that have been missing for too long.
  /// - Parameter roundTrip: in microseconds.
  mutating func requests(now: Instant, roundTrip: Int64, _ body: (UInt64) -> Bool) {
    guard missingCount > 0, let deadline, now >= deadline else { return }
    let retry = max(policy.retryInterval, roundTrip &+ roundTrip / 2)
    var next = Int64.max
    var oldest: UInt64?
    var unrequested: UInt64?
    var seen = 0
    let toSee = missingCount
    // Older ones have left the ring.
    var number = max(oldestMissing, highest >= capacity ? highest - capacity + 1 : 1)
    while number <= highest, seen < toSee {
      defer { number += 1 }
      let entry = entry(number)
      guard entry.pointee.state == .missing else { continue }
      seen += 1
      let end = entry.pointee.since &+ policy.patience
      guard now.microseconds < end else {
        entry.pointee.state = .abandoned
        missingCount -= 1
        lostTotal &+= 1
        continue
      }
      if oldest == nil { oldest = number }
      let isOvertaken = !entry.pointee.isRequested && number + policy.reorderCount <= highestReceived
      if isOvertaken || now.microseconds >= entry.pointee.due {
        guard body(number) else {
          if !entry.pointee.isRequested, unrequested == nil { unrequested = number }
          next = now.microseconds
          break
        }
        let isFirst = entry.pointee.requests == 0
        entry.pointee.requests = isFirst ? 1 : 2
        let isRepeated = isFirst && roundTrip >= policy.longRoundTrip
        entry.pointee.due = now.microseconds &+ (isRepeated ? policy.repetition : retry)
      }
      if !entry.pointee.isRequested, unrequested == nil { unrequested = number }
      next = min(next, entry.pointee.due, end)
    }
    oldestMissing = oldest ?? highest + 1
    firstUnrequested = unrequested
    self.deadline = missingCount == 0 ? nil : Instant(microseconds: next)
  }
}
