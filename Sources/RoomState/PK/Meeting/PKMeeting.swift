import RoomProtocol

/// One room's part in the agreement of the rooms of a PK: who leads, and what was decided.
///
/// The rooms send one another beats. A room follows the first room of the charter whose beats arrive. A room that follows itself claims
/// to lead with a ballot; the rooms that follow it promise, in their beats, to accept nothing of an older ballot. The room leads
/// while a quorum has promised. A change is a proposal until a quorum holds it; a new leader continues the newest proposal that
/// its quorum holds. That is Paxos with beats for messages: nothing waits for an answer, and two leaders never both decide.
///
/// A value without clock and network: times are milliseconds since 1970, as the room's driver passes them.
struct PKMeeting: Codable, Hashable, Sendable {
  /// What one room knows of another one.
  private struct Peer: Codable, Hashable, Sendable {
    /// Time of the last beat; of the first sight of the room before that.
    var beatAt: Int64
    /// The other room's number of that beat.
    var number = 0
    /// The newest ballot that the room promised.
    var promised = PKCharter.Ballot()
    /// The newest charter that the room holds.
    var held: PKCharter?
    var wishes: [PKWish] = []
  }

  let room: RoomName
  /// The room's membership; empty if the first charter lacked the room.
  private let party: PKID
  /// Time without a beat after which a room is no longer followed, in milliseconds.
  let silence: Int64
  /// The charter that counts.
  private(set) var charter: PKCharter
  /// A newer one, which may never count.
  private(set) var proposal: PKCharter?
  /// The room that this one considers the leader.
  private(set) var follows: RoomName?
  /// Whether this room leads.
  private(set) var leads = false
  /// The parties that left by themselves. They count for no quorum.
  private(set) var departed: Set<PKID> = []
  /// Last time at which some room is known to have led.
  private(set) var ledAt: Int64
  /// The newest ballot that this room claimed or promised.
  private var ballot = PKCharter.Ballot()
  /// Whether this room has led with its ballot.
  private var hasLed = false
  private var peers: [PKID: Peer] = [:]
  private var lastNumber = 0

  init(_ room: RoomName, _ charter: PKCharter, silence: Int64, at now: Int64) {
    self.room = room
    party = charter[room]?.id ?? ""
    self.charter = charter
    self.silence = silence
    ballot = charter.version.ballot
    ledAt = now
    meetPeers(at: now)
  }

  /// Continues after the room was restored.
  mutating func resume(at now: Int64) {
    ledAt = now
    // Skips the numbers of beats that may have been sent after the last store.
    lastNumber += 1 << 20
    for party in peers.keys { peers[party]?.beatAt = now }
  }

  // MARK: Reading

  /// The newest charter that the room knows.
  var held: PKCharter { proposal ?? charter }
  /// The other rooms that receive beats, in the charter's order.
  var others: [PKCharter.Party] { charter.parties.filter { $0.room != room && !departed.contains($0.id) } }
  /// What the other rooms ask the leader for.
  var wishes: [PKWish.Change] { others.flatMap { peers[$0.id]?.wishes ?? [] }.map(\.change) }

  private func isSilent(_ party: PKID, at now: Int64) -> Bool { now - (peers[party]?.beatAt ?? 0) >= silence }

  /// Returns whether the other rooms should know what changed.
  func isNews(since old: PKMeeting) -> Bool {
    charter.version != old.charter.version || proposal?.version != old.proposal?.version || leads != old.leads
      || follows != old.follows || ballot != old.ballot
  }

  // MARK: Beats

  mutating func beat(wishes: [PKWish]) -> PKBeat {
    lastNumber += 1
    return PKBeat(
      party: party, number: lastNumber, follows: follows, leads: leads, ballot: ballot, charter: charter, proposal: proposal,
      wishes: wishes)
  }

  /// Takes another room's beat.
  /// - Returns: whether the other room awaits an answer.
  mutating func take(_ beat: PKBeat, from other: RoomName, at now: Int64) -> Bool {
    if beat.charter.version > charter.version { adopt(beat.charter, at: now) }
    // The answer to a room that missed its removal has the charter.
    guard charter[other]?.id == beat.party else { return beat.charter.version < charter.version }
    guard !departed.contains(beat.party), var peer = peers[beat.party], beat.number > peer.number else { return false }
    peer.number = beat.number
    peer.beatAt = now
    peer.promised = beat.ballot
    peer.held = beat.proposal ?? beat.charter
    peer.wishes = beat.wishes
    peers[beat.party] = peer
    advance(to: now)
    if follows == room, beat.follows == room, beat.ballot > ballot { claim(over: beat.ballot, at: now) }
    guard follows == other, beat.ballot.leader == beat.party, beat.ballot >= ballot else { return false }
    ballot = beat.ballot
    if beat.leads { ledAt = now }
    if let new = beat.proposal, new.version.ballot == ballot, new.version > held.version { proposal = new }
    return true
  }

  /// Records that a party left by itself.
  /// - Parameters:
  ///   - held: the newest charter that the party's room held.
  ///   - counts: whether that charter counts.
  mutating func depart(_ id: PKID, holding held: PKCharter?, counts: Bool, at now: Int64) {
    if counts, let held, held.version > charter.version { adopt(held, at: now) }
    guard peers[id] != nil else { return }
    if let held, held.version > peers[id]?.held?.version ?? PKCharter.Version() { peers[id]?.held = held }
    peers[id]?.wishes = []
    departed.insert(id)
    advance(to: now)
  }

  // MARK: Leading

  /// Updates who is followed, and whether this room leads.
  mutating func advance(to now: Int64) {
    follows =
      charter.parties.first { party in
        party.room == room || (!departed.contains(party.id) && !isSilent(party.id, at: now))
      }?.room
    guard follows == room else { return leads = false }
    if ballot.leader != party { claim(over: ballot, at: now) } else { lead(at: now) }
  }

  private mutating func claim(over other: PKCharter.Ballot, at now: Int64) {
    ballot = PKCharter.Ballot(number: other.number + 1, leader: party)
    hasLed = false
    lead(at: now)
  }

  /// Leads if a quorum has promised.
  private mutating func lead(at now: Int64) {
    let promised = parties { $0.promised == ballot && now - $0.beatAt < silence }
    // What a departed room held may count already.
    let counted = peers.filter { promised.contains($0.key) || departed.contains($0.key) }
    let newest = ([held] + counted.values.compactMap(\.held)).max { $0.version < $1.version } ?? held
    guard newest.version.ballot <= ballot else { return claim(over: newest.version.ballot, at: now) }
    leads = isQuorum(promised, of: charter) && isQuorum(promised, of: newest)
    guard leads else { return }
    ledAt = now
    if !hasLed {
      hasLed = true
      proposal = nil
      if newest.version > charter.version { propose(newest) }
    }
    commit(at: now)
  }

  /// Returns this room's party and those that meet a condition.
  private func parties(where isCounted: (Peer) -> Bool) -> Set<PKID> {
    Set(peers.filter { isCounted($0.value) }.keys).union([party])
  }

  /// Returns whether the parties are more than half of the charter's, or half with the first one.
  private func isQuorum(_ parties: Set<PKID>, of charter: PKCharter) -> Bool {
    let voters = charter.parties.map(\.id).filter { !departed.contains($0) }
    let present = voters.count { parties.contains($0) }
    guard let first = voters.first else { return false }
    return 2 * present > voters.count || (2 * present == voters.count && parties.contains(first))
  }

  private mutating func propose(_ new: PKCharter) {
    var new = new
    new.version = PKCharter.Version(
      ballot: ballot, number: charter.version.ballot == ballot ? charter.version.number + 1 : 1)
    proposal = new
  }

  /// Changes the charter, if this room leads and no change is pending.
  mutating func decide(at now: Int64, _ change: (inout PKCharter) -> Void) {
    guard leads, proposal == nil else { return }
    var new = charter
    change(&new)
    guard new != charter, !new.parties.isEmpty else { return }
    propose(new)
    commit(at: now)
  }

  /// Lets the own proposal count once a quorum of the old and of the new charter holds it.
  private mutating func commit(at now: Int64) {
    guard let new = proposal, new.version.ballot == ballot else { return }
    let holders = parties { $0.held?.version == new.version }
    if isQuorum(holders, of: charter), isQuorum(holders, of: new) { adopt(new, at: now) }
  }

  private mutating func adopt(_ new: PKCharter, at now: Int64) {
    charter = new
    ballot = max(ballot, new.version.ballot)
    if let pending = proposal, pending.version <= new.version { proposal = nil }
    meetPeers(at: now)
  }

  /// Keeps a record of each other party of both charters.
  private mutating func meetPeers(at now: Int64) {
    let parties = Set((charter.parties + held.parties).filter { $0.room != room }.map(\.id))
    for other in parties where peers[other] == nil { peers[other] = Peer(beatAt: now) }
    peers = peers.filter { parties.contains($0.key) }
    departed.formIntersection(parties)
  }
}

/// What a room of a PK sends to each other one, at an interval and after changes.
public struct PKBeat: Codable, Hashable, Sendable {
  /// The sender's membership.
  var party: PKID
  /// Grows with each beat of the sender.
  var number: Int
  var follows: RoomName?
  /// Whether the sender leads.
  var leads: Bool
  /// The newest ballot that the sender promised or claimed.
  var ballot: PKCharter.Ballot
  var charter: PKCharter
  var proposal: PKCharter?
  var wishes: [PKWish]
}
