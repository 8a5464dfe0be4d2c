import RoomRTP

/// The local socket and one remote candidate (RFC 8445 §6.1.2): its pending checks and their results.
///
/// Every transmission is a separate transaction, so that a late answer still counts and is distinguishable from a newer one.
struct CandidatePair {
  enum State { case waiting, inProgress, succeeded }

  private struct Check {
    var transaction: STUNTransactionID
    var nominates: Bool
    var sent: Instant
  }

  /// The match between a response and its request.
  struct Answered {
    var nominates: Bool
    var roundTrip: Int64
  }

  static let outstandingLimit = 6
  static let firstInterval: Int64 = 100_000
  static let longestInterval: Int64 = 1_600_000

  let remote: TransportAddress
  var priority: UInt64
  private(set) var state = State.waiting
  /// Whether the other side nominated this pair (received USE-CANDIDATE).
  var isNominatedByRemote = false
  private(set) var nextCheck: Instant
  private(set) var lastAnswer: Instant?
  /// The number of checks sent since the last answer.
  private(set) var unanswered = 0
  private var outstanding: [Check] = []
  private var interval = firstInterval

  init(remote: TransportAddress, priority: UInt64, now: Instant) {
    self.remote = remote
    self.priority = priority
    nextCheck = now
  }

  /// RFC 8445 §6.1.2.3: G is the controlling side's candidate priority, D the controlled side's.
  static func priority(controlling g: UInt32, controlled d: UInt32) -> UInt64 {
    UInt64(min(g, d)) << 32 | UInt64(max(g, d)) << 1 | (g > d ? 1 : 0)
  }

  /// Records a check and schedules the next: probing intervals double from 100 ms to 1.6 s; a working pair waits for `pause`.
  mutating func sent(_ transaction: STUNTransactionID, nominates: Bool, now: Instant, pause: Int64?) {
    if outstanding.count == Self.outstandingLimit { outstanding.removeFirst() }
    outstanding.append(Check(transaction: transaction, nominates: nominates, sent: now))
    unanswered += 1
    if state == .waiting { state = .inProgress }
    if let pause {
      nextCheck = now.advanced(microseconds: pause)
    } else {
      nextCheck = now.advanced(microseconds: interval)
      interval = min(interval * 2, Self.longestInterval)
    }
  }

  /// Finds and ends the transaction of a response; nil if it matches none.
  mutating func answered(_ transaction: STUNTransactionID, succeeded: Bool, now: Instant, pause: Int64) -> Answered? {
    guard let index = outstanding.firstIndex(where: { $0.transaction == transaction }) else { return nil }
    let check = outstanding.remove(at: index)
    if succeeded {
      state = .succeeded
      lastAnswer = now
      unanswered = 0
      interval = Self.firstInterval
      nextCheck = now.advanced(microseconds: pause)
    }
    return Answered(nominates: check.nominates, roundTrip: now - check.sent)
  }

  func isOutstanding(_ transaction: STUNTransactionID) -> Bool { outstanding.contains { $0.transaction == transaction } }

  /// Schedules a check at once: triggered by the other side (RFC 8445 §7.3.1.4), by a role change, or by a possible path
  /// change.
  mutating func probe(now: Instant) {
    if state == .succeeded { return nextCheck = now }
    state = .waiting
    interval = Self.firstInterval
    nextCheck = now
  }

  /// Delays the next check until this time, unless it is `probe`d; a pending check continues.
  mutating func wait(until instant: Instant) {
    if state == .waiting { nextCheck = instant }
  }

  /// Discards everything known about the path.
  mutating func reset(now: Instant) {
    state = .waiting
    outstanding.removeAll()
    unanswered = 0
    interval = Self.firstInterval
    nextCheck = now
  }
}
