import RoomRTP

/// A member's question, while the store does not answer it: "do you refrain from ending my lease for one life?"
public struct PromiseRequest: Sendable, Hashable {
  public var asker: Incarnation
  /// The member that is asked. A later incarnation of its node knows nothing of earlier promises.
  public var asked: Incarnation
  /// The process of the store that the asker was last connected to.
  public var generation: String

  public init(asker: Incarnation, asked: Incarnation, generation: String) {
    self.asker = asker
    self.asked = asked
    self.generation = generation
  }
}

/// The promises that a node has given.
struct GivenPromises: Sendable {
  /// Maximum number of members with a promise.
  private static let limit = 16_384
  private var ends: [Incarnation: Instant] = [:]

  /// Promises a member to refrain until then. Returns false if too many promises are in force.
  mutating func give(_ member: Incarnation, until end: Instant) -> Bool {
    guard ends.count < Self.limit || ends[member] != nil else { return false }
    ends[member] = max(end, ends[member] ?? end)
    return true
  }

  func isInForce(for member: Incarnation, now: Instant) -> Bool { ends[member].map { now < $0 } ?? false }

  mutating func removeEnded(now: Instant) {
    if ends.values.contains(where: { $0 <= now }) { ends = ends.filter { now < $0.value } }
  }
}

/// What a node's rooms rest on: a lease in the store, or else the promises of all members.
struct Authority: Sendable {
  private let timing: LeaseTiming
  /// When the last successful renewal was sent.
  private(set) var contact: Instant
  /// All members that the node knows of without itself: each of them may end its lease.
  private(set) var peers: Set<Incarnation>
  private var promises: [Incarnation: Instant] = [:]

  /// A lease that was renewed.
  /// - Parameter contact: when the renewal was SENT: the store may have counted it from then on.
  init(_ timing: LeaseTiming, contact: Instant, peers: Set<Incarnation>) {
    self.timing = timing
    self.contact = contact
    self.peers = peers
  }

  /// When the node has to stop, unless the lease is renewed or promises arrive.
  var end: Instant { max(contact.advanced(microseconds: timing.life - timing.margin), promisedEnd) }

  private var promisedEnd: Instant {
    let last = contact.advanced(microseconds: timing.promised)
    guard promises.count >= peers.count else { return contact }
    return peers.reduce(last) { min($0, promises[$1] ?? contact) }
  }

  mutating func renewed(contact: Instant, peers: Set<Incarnation>) {
    self.contact = contact
    self.peers = peers
    promises = promises.filter { peers.contains($0.key) }
  }

  /// The node has received a list of members without a renewal: they know it from now on.
  mutating func met(_ peers: Set<Incarnation>) { self.peers.formUnion(peers) }

  /// A member has promised.
  /// - Parameter sent: when it was asked: its promise began later.
  mutating func promised(by peer: Incarnation, asked sent: Instant) {
    guard peers.contains(peer) else { return }
    let end = sent.advanced(microseconds: timing.life - timing.margin)
    promises[peer] = max(end, promises[peer] ?? end)
  }
}
