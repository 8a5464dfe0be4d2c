import RoomRTP

/// The full ICE agent of one component over one local socket (RFC 8445), used by clients, bots and test peers.
///
/// - Each pair is the socket and one remote candidate, received by signalling or learnt from a check (peer-reflexive).
/// - The controlling agent nominates the best working pair; the controlled agent follows. The tie-breaker resolves a role
///   conflict.
/// - Consent (RFC 7675): the selected pair is checked every 4–6 s, and every second while a check is unanswered. If a pair
///   becomes silent, all others are probed again, and the controlling side moves to one that answers.
/// - TCP candidates are the fallback if no datagrams get through. TCP candidates are checked after `tcpDelay`, or at once if
///   there are no others, and are not checked while another pair works.
/// - A restart (new credentials) checks all pairs again while media continues on the old one.
final class ICEAgent: ICETransport {
  static let pairLimit = 24
  /// Ta, the interval between checks (RFC 8445 §14.2), in microseconds.
  static let pace: Int64 = 50_000
  /// The time in microseconds to wait for a better pair once one works.
  static let nominationDelay: Int64 = 100_000
  static let patience: Int64 = 30_000_000
  /// The time in microseconds for which only UDP is tried.
  static let tcpDelay: Int64 = 2_000_000
  /// The time in microseconds between the end of a connection and the next one.
  static let tcpPause: Int64 = 500_000
  /// The minimum time in microseconds to wait for the answer to a check of a working pair; a slow path gets two round trips.
  /// Short, so that several lost checks in a row fit between a check and `Consent.silence`.
  static let consentRetry: Int64 = 300_000
  /// The number of unanswered checks after which the selected pair is in doubt.
  static let doubt = 3
  /// The priority of a host candidate with one component and the highest local preference (RFC 8445 §5.1.2.1).
  static let localPriority: UInt32 = 126 << 24 | 65_535 << 8 | 255
  static let peerReflexivePriority: UInt32 = 110 << 24 | 65_535 << 8 | 255

  private var credentials: LocalCredentials
  private var remote: ICECredentials?
  private var remoteIsLite = false
  private(set) var isControlling: Bool
  private let tieBreaker: UInt64
  private var pairs: [CandidatePair] = []
  private var consent = Consent()
  private var nextPaced = Instant(microseconds: 0)
  private var firstSuccess: Instant?
  /// The time at which the checks of this description began; nil once a pair is selected.
  private var checking: Instant?
  /// The pair on which USE-CANDIDATE is sent.
  private var nominating: TransportAddress?
  private var hasFailed = false
  private(set) var selected: TransportAddress?
  /// The last measured round-trip time of a check, in microseconds.
  private(set) var roundTrip: Int64?
  /// The state of an xorshift generator, from which consent intervals come: an agent with the same tie-breaker behaves the same.
  private var jitter: UInt64

  /// Whether the other side's passive TCP candidates are checked, which requires that the owner opens connections to them.
  let usesTCP: Bool

  init(
    _ credentials: ICECredentials, controlling: Bool, usesTCP: Bool = false, tieBreaker: UInt64 = .random(in: 0...UInt64.max)
  ) {
    jitter = tieBreaker | 1
    self.credentials = LocalCredentials(credentials)
    isControlling = controlling
    self.usesTCP = usesTCP
    self.tieBreaker = tieBreaker
  }

  // MARK: Descriptions

  func setRemote(_ remote: TransportParameters, now: Instant) {
    let isRestart = self.remote != nil && self.remote != remote.credentials
    self.remote = remote.credentials
    remoteIsLite = remote.iceLite
    // A full agent controls a lite one (RFC 8445 §6.1.1).
    if remoteIsLite { isControlling = true }
    if isRestart { pairs.removeAll() }
    let candidates = remote.candidates.filter { usesTCP || !$0.address.isTCP }
    for candidate in candidates.prefix(Self.pairLimit) { addPair(candidate.address, candidate.priority, now) }
    if candidates.contains(where: { !$0.address.isTCP }) { holdBackTCP(now) }
    // Requests may have arrived before the signalling data.
    if isRestart || checking == nil { startChecking(now) }
  }

  func setLocal(_ credentials: ICECredentials) { self.credentials.replace(by: credentials) }

  /// Handles a change of the socket or its route: all pairs are checked again, the selected one first, while media continues.
  func localAddressChanged(now: Instant) {
    for index in pairs.indices { pairs[index].reset(now: now) }
    if pairs.contains(where: { !$0.remote.isTCP }) { holdBackTCP(now) }
    startChecking(now)
  }

  func isValidated(_ address: TransportAddress) -> Bool {
    address == selected || pairs.contains { $0.remote == address && $0.state == .succeeded }
  }

  /// Checks the pair again after a pause, for which the owner opens another connection.
  func connectionClosed(_ address: TransportAddress, now: Instant) {
    guard let index = pairs.firstIndex(where: { $0.remote == address }) else { return }
    pairs[index].reset(now: now.advanced(microseconds: Self.tcpPause))
  }

  func receivedMedia(at now: Instant) {}
  func takeTransition() -> Consent.Transition? { consent.takeTransition() }
  /// Returns whether no pair answered in time; true only once.
  func takeFailure() -> Bool {
    defer { hasFailed = false }
    return hasFailed
  }

  // MARK: Messages

  func receive(_ message: STUNMessage, from source: TransportAddress, now: Instant, _ outbox: inout Outbox) -> DropReason? {
    switch message.kind {
    case .request: receiveRequest(message, from: source, now: now, &outbox)
    case .success, .failure: receiveResponse(message, from: source, now: now, &outbox)
    case .indication: nil
    }
  }

  private func receiveRequest(
    _ message: STUNMessage, from source: TransportAddress, now: Instant, _ outbox: inout Outbox
  ) -> DropReason? {
    let request = BindingRequest(message: message, source: source, isValidated: isValidated(source))
    switch request.judge(&credentials) {
    case .refused(let reason, let reply):
      if let reply { outbox.send(reply, to: source) }
      return reason
    case .authentic(let password):
      if winsConflict(message.role) {
        if let reply = request.reply(.roleConflict, password: password) { outbox.send(reply, to: source) }
        return .roleConflict
      }
      guard let reply = request.success(password: password) else { return .amplification }
      guard let index = pair(from: source, priority: message.priority, now) else { return .tooManyAddresses }
      outbox.send(reply, to: source)
      if message.useCandidate, !isControlling { pairs[index].isNominatedByRemote = true }
      if pairs[index].state == .succeeded {
        follow(index, now)
      } else {
        pairs[index].probe(now: now)
      }
      advance(to: now, &outbox)
      return nil
    }
  }

  /// Resolves a role conflict (RFC 8445 §7.3.1.1): the larger tie-breaker keeps or takes the controlling role. Returns true if
  /// the other side has to change.
  private func winsConflict(_ role: STUNMessage.Role?) -> Bool {
    switch role {
    case .controlling(let other) where isControlling:
      if tieBreaker >= other { return true }
      isControlling = false
    case .controlled(let other) where !isControlling:
      if tieBreaker < other { return true }
      isControlling = true
    default: break
    }
    return false
  }

  private func receiveResponse(
    _ message: STUNMessage, from source: TransportAddress, now: Instant, _ outbox: inout Outbox
  ) -> DropReason? {
    // Addresses must be symmetric (RFC 8445 §7.2.5.2.1): an answer from another address is ignored.
    guard let remote, let index = pairs.firstIndex(where: { $0.remote == source && $0.isOutstanding(message.transaction) })
    else { return .unexpectedResponse }
    guard message.isSigned(with: remote.password.utf8) else { return .unauthenticatedSTUN }
    guard
      let answer = pairs[index].answered(
        message.transaction, succeeded: message.kind == .success, now: now, pause: consentInterval())
    else { return .unexpectedResponse }
    if message.kind == .failure {
      // RFC 8445 §7.2.5.1: change the role and check again at once.
      if message.errorCode == STUNErrorCode.roleConflict.rawValue {
        if !remoteIsLite { isControlling.toggle() }
        pairs[index].probe(now: now)
        advance(to: now, &outbox)
      }
      return nil
    }
    roundTrip = answer.roundTrip
    firstSuccess = firstSuccess ?? now
    if isControlling {
      if answer.nominates { select(index, now) }
    } else {
      follow(index, now)
    }
    if pairs[index].remote == selected {
      consent.received(at: now)
      // The pair works after all. Later checks continue to nominate it, which shows a server the path to a new local address.
      if isControlling, nominating != nil { nominating = selected }
    }
    advance(to: now, &outbox)
    return nil
  }

  // MARK: Time

  var deadline: Instant? {
    guard remote != nil, consent.state != .lost else { return nil }
    var due = consent.deadline
    func consider(_ instant: Instant) { due = due.map { min($0, instant) } ?? instant }
    if let checking { consider(checking.advanced(microseconds: Self.patience)) }
    if selected == nil, isControlling, nominating == nil, let firstSuccess {
      consider(firstSuccess.advanced(microseconds: Self.nominationDelay))
    }
    if let next = pairs.lazy.filter({ !self.rests($0) }).map(\.nextCheck).min() { consider(max(next, nextPaced)) }
    return due
  }

  func advance(to now: Instant, _ outbox: inout Outbox) {
    consent.advance(to: now)
    if consent.state == .lost { selected = nil }
    if let checking, now - checking >= Self.patience {
      self.checking = nil
      hasFailed = selected == nil
    }
    guard remote != nil, consent.state != .lost else { return }
    if isControlling { nominateIfDue(now, &outbox) }
    guard now >= nextPaced, let index = nextDue(now) else { return }
    check(index, now, &outbox)
    nextPaced = now.advanced(microseconds: Self.pace)
  }

  /// Returns the pair whose check is due: the selected one first, then by priority.
  private func nextDue(_ now: Instant) -> Int? {
    pairs.indices.filter { pairs[$0].nextCheck <= now && !rests(pairs[$0]) }.max { a, b in
      let (aSelected, bSelected) = (pairs[a].remote == selected, pairs[b].remote == selected)
      return aSelected != bSelected ? bSelected : pairs[a].priority < pairs[b].priority
    }
  }

  /// Performs regular nomination (RFC 8445 §8.1.1): selects the best working pair as soon as no better one is pending or
  /// `nominationDelay` has passed. Later, it moves when the selected pair is silent and another is not.
  private func nominateIfDue(_ now: Instant, _ outbox: inout Outbox) {
    let working = pairs.indices.filter { pairs[$0].state == .succeeded && pairs[$0].unanswered < 2 }
    guard let best = working.max(by: { pairs[$0].priority < pairs[$1].priority }), let firstSuccess else { return }
    if let selected, let current = pairs.first(where: { $0.remote == selected }) {
      guard current.unanswered >= Self.doubt, pairs[best].remote != selected, nominating != pairs[best].remote else { return }
    } else {
      let betterTried = pairs.contains { $0.state != .succeeded && $0.priority > pairs[best].priority }
      guard !betterTried || now - firstSuccess >= Self.nominationDelay, nominating != pairs[best].remote else { return }
    }
    nominating = pairs[best].remote
    check(best, now, &outbox)
  }

  // MARK: Pairs

  /// Returns whether a pair is not checked: a TCP connection while another pair works.
  private func rests(_ pair: CandidatePair) -> Bool {
    guard pair.remote.isTCP, let selected, pair.remote != selected, pair.remote != nominating else { return false }
    return pairs.contains { $0.remote == selected && $0.unanswered < Self.doubt }
  }

  private func holdBackTCP(_ now: Instant) {
    for index in pairs.indices where pairs[index].remote.isTCP && pairs[index].remote != selected {
      pairs[index].wait(until: now.advanced(microseconds: Self.tcpDelay))
    }
  }

  private func startChecking(_ now: Instant) {
    checking = now
    firstSuccess = nil
    nominating = nil
    nextPaced = now
    if consent.state == .lost { consent.restart() }
  }

  private func addPair(_ address: TransportAddress, _ priority: UInt32, _ now: Instant) {
    let value = pairPriority(priority)
    if let index = pairs.firstIndex(where: { $0.remote == address }) {
      pairs[index].priority = value
    } else if pairs.count < Self.pairLimit {
      pairs.append(CandidatePair(remote: address, priority: value, now: now))
    }
  }

  private func pair(from source: TransportAddress, priority: UInt32?, _ now: Instant) -> Int? {
    if let index = pairs.firstIndex(where: { $0.remote == source }) { return index }
    if pairs.count == Self.pairLimit {
      // Evicts a pair that never worked, or the one that is silent for longest; never the selected one.
      let victim = pairs.indices.filter { pairs[$0].remote != selected }
        .min { (pairs[$0].lastAnswer?.microseconds ?? 0) < (pairs[$1].lastAnswer?.microseconds ?? 0) }
      guard let victim else { return nil }
      pairs.remove(at: victim)
    }
    addPair(source, priority ?? Self.peerReflexivePriority, now)
    return pairs.indices.last
  }

  private func pairPriority(_ remote: UInt32) -> UInt64 {
    isControlling
      ? CandidatePair.priority(controlling: Self.localPriority, controlled: remote)
      : CandidatePair.priority(controlling: remote, controlled: Self.localPriority)
  }

  private func follow(_ index: Int, _ now: Instant) {
    if !isControlling, pairs[index].isNominatedByRemote { select(index, now) }
  }

  private func select(_ index: Int, _ now: Instant) {
    // A nomination is valid for one selection: an older pair must be nominated again.
    for other in pairs.indices where other != index { pairs[other].isNominatedByRemote = false }
    selected = pairs[index].remote
    checking = nil
    consent.received(at: now)
  }

  /// Whether the first answer selects the pair. A lite agent sends no checks that could fail, so if no pair is better, a second
  /// check would only cost a round trip.
  private func isFirstChoice(_ pair: CandidatePair) -> Bool {
    if pairs.count == 1 { return true }
    return remoteIsLite && selected == nil
      && pairs.allSatisfy { $0.priority < pair.priority || $0.remote == pair.remote }
  }

  /// Sends one check (RFC 8445 §7.2.4).
  private func check(_ index: Int, _ now: Instant, _ outbox: inout Outbox) {
    guard let remote else { return }
    let address = pairs[index].remote
    let nominates =
      isControlling && (address == nominating || (nominating == nil && (address == selected || isFirstChoice(pairs[index]))))
    let transaction = STUNTransactionID.random()
    var writer = STUNWriter(.request, transaction: transaction)
    writer.add(STUNAttribute.username, Array("\(remote.ufrag):\(credentials.current.ufrag)".utf8))
    writer.add(STUNAttribute.priority, Self.peerReflexivePriority)
    writer.add(isControlling ? STUNAttribute.iceControlling : STUNAttribute.iceControlled, tieBreaker)
    if nominates { writer.add(STUNAttribute.useCandidate, []) }
    writer.sign(with: remote.password.utf8)
    writer.addFingerprint()
    let isSelected = address == selected
    let works = pairs[index].state == .succeeded
    let pause: Int64? = works ? (isSelected || address == nominating ? consentRetry : consentInterval()) : nil
    pairs[index].sent(transaction, nominates: nominates, now: now, pause: pause)
    outbox.send(writer.bytes, to: address)
    // The path is in doubt, so the other pairs are probed.
    if isSelected, pairs[index].unanswered == Self.doubt {
      for other in pairs.indices where other != index { pairs[other].reset(now: now) }
    }
  }

  private var consentRetry: Int64 { max(Self.consentRetry, 2 &* (roundTrip ?? 0)) }

  /// Returns 5 s with a jitter of one fifth, so that many peers do not synchronise (RFC 7675 §5.1).
  private func consentInterval() -> Int64 {
    jitter ^= jitter << 13
    jitter ^= jitter >> 7
    jitter ^= jitter << 17
    return 4_000_000 + Int64(jitter % 2_000_001)
  }
}
