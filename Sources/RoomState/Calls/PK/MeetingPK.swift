import RoomProtocol

// A PK of several rooms: what joins, stays and leaves, and what the leader decides.

extension RoomState {
  /// How long the leader waits for final scores after the end of the time, in milliseconds.
  private static let scoreTime: Int64 = 5_000
  /// How often a change of a score may postpone the end.
  private static let extensions = 10

  // MARK: Joining

  /// Returns the membership of the room that began a PK. Those of the others are the invitations that they accepted.
  private static func firstParty(of pkId: PKID) -> PKID { PKID("\(pkId).0") }

  /// Handles the acceptance of an invitation to a PK of several rooms.
  mutating func admit(_ invitation: PKInvitation, host: UserID) {
    guard let terms = invitation.terms else { return }
    let party = PKCharter.Party(
      id: invitation.pkId, room: invitation.to.room, host: host, team: terms.team, inviter: name)
    guard let running = pk.running else { return found(invitation, with: party, terms) }
    guard running.info.pkId == terms.pkId, running.info.result == nil, mayMeet(party.room, running) else {
      return send(.end(.failed, by: ""), about: invitation.pkId, to: invitation.to.room)
    }
    wish(.join(party))
  }

  /// Begins a PK with the first room that accepts.
  private mutating func found(_ invitation: PKInvitation, with party: PKCharter.Party, _ terms: PKTerms) {
    let own = PKCharter.Party(
      id: Self.firstParty(of: terms.pkId), room: name, host: invitation.from.userId, team: pk.ownTeam, inviter: "")
    let charter = PKCharter(
      parties: [own, party], startedAt: clock, rules: terms.rules,
      endsAt: invitation.duration.map { clock + Int64($0) * 1000 })
    concludeAccepted(invitation.pkId, by: "")
    begin(charter, terms.pkId, host: own.host, inviter: true)
  }

  /// - Parameter inviter: whether this room began the PK.
  private mutating func begin(_ charter: PKCharter, _ pkId: PKID, host: UserID, inviter: Bool) {
    guard let first = charter.parties.first(where: { $0.room != name }) else { return }
    let info = PKInfo(
      pkId: pkId, room: first.room, userId: first.host, host: host, inviter: inviter, startedAt: charter.startedAt,
      endsAt: charter.endsAt)
    var running = RunningPK(info: info, now: clock, rules: rules)
    var meeting = PKMeeting(name, charter, silence: rules.pkSilenceTime, at: clock)
    meeting.advance(to: clock)
    running.meeting = meeting
    running.meetPeers(now: clock, silence: rules.pkSilenceTime)
    running.settle(now: clock, grace: rules.pkGraceTime)
    begin(running)
    presenceChanged()
    sendBeats()
  }

  /// Handles another room's beat: one of the PK that runs here, or the one with which this room joins.
  mutating func meet(_ beat: PKBeat, _ report: PKReport, _ id: PKID, in room: RoomName) {
    guard (1...PKCharter.maximumParties).contains(beat.charter.parties.count) else { return }
    if pk.running?.info.pkId == id { return take(beat, report, from: room) }
    guard let party = beat.charter[name] else { return }
    guard let accepted = pk.accepted, accepted.pkId == party.id, let invitation = pk[party.id], invitation.terms?.pkId == id,
      beat.charter.result == nil, !beat.charter.parties.contains(where: { isKeptApart(from: $0.room) })
    else { return denyMeeting(id, party.id, to: room) }
    concludeAccepted(party.id, by: accepted.by)
    begin(beat.charter, id, host: party.host, inviter: false)
    if pk.running?.info.pkId == id { take(beat, report, from: room) }
  }

  /// Replies that this room is no longer in the PK.
  private mutating func denyMeeting(_ id: PKID, _ party: PKID, to room: RoomName) {
    let last = pk.lastMeeting.flatMap { $0.pkId == id ? $0 : nil }
    send(
      .depart(
        PKDeparture(party: party, reason: .failed, by: "", charter: last?.charter, counts: last?.counts ?? false)),
      about: id, to: room)
  }

  private mutating func take(_ beat: PKBeat, _ report: PKReport, from room: RoomName) {
    makeMeeting()
    guard var running = pk.running, var meeting = running.meeting else { return }
    let before = meeting
    let awaitsAnswer = meeting.take(beat, from: room, at: clock)
    running.meeting = meeting
    running.meetPeers(now: clock, silence: rules.pkSilenceTime)
    if var peer = running[peer: room], peer.party == beat.party {
      peer.silentAt = clock + rules.pkSilenceTime
      if report.version > peer.version {
        if report.score != peer.score { running.scoredAt = clock }
        (peer.version, peer.score, peer.isAtHome, peer.mutesUs) = (
          report.version, report.score, report.isAtHome, report.mutes
        )
        peer.finalAt = report.finalAt
      }
      peer.apart = report.apart
      running[peer: room] = peer
    }
    let sent = consider(running, since: before)
    if awaitsAnswer, !sent { sendBeat(to: room) }
  }

  /// Handles that another room left.
  mutating func take(_ departure: PKDeparture, _ id: PKID, from room: RoomName) {
    guard var running = pk.running, running.info.pkId == id, var meeting = running.meeting else { return }
    let before = meeting
    running.lastDeparture = RunningPK.Departure(room: room, reason: departure.reason, by: departure.by)
    meeting.depart(departure.party, holding: departure.charter, counts: departure.counts, at: clock)
    running.meeting = meeting
    consider(running, since: before)
  }

  /// Handles a message of the form for two rooms from one that does not know yet that there are more.
  /// - Returns: whether the message is about the PK of several rooms that runs here.
  mutating func takePairMessage(_ message: PKMessage) -> Bool {
    // The first invitation to a PK of several has the PK's id.
    guard let running = pk.running, running.info.pkId == message.pkId, let meeting = running.meeting,
      !isPending(message.pkId, with: message.from)
    else { return false }
    switch message.body {
    case .meet, .depart: return false
    case .end(let reason, let by):
      guard let party = meeting.charter[message.from] else { break }
      take(PKDeparture(party: party.id, reason: reason, by: by, charter: nil), message.pkId, from: message.from)
    case .update, .begin, .accept: if running[peer: message.from] != nil { sendBeat(to: message.from) }
    case .invite, .cancel, .reject, .matched: break
    }
    return true
  }

  // MARK: Wishes

  /// Removes a room from the PK.
  /// - Throws: 10003 without the `admin` grant, or for a room that this one did not invite, unless this one began the PK; 10013.
  public mutating func removeFromPK(_ room: RoomName, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "removing a room from the PK")
    wish(.remove(try party(room, "remove").id))
  }

  /// Returns a room that this one may remove or mute for all.
  func party(_ room: RoomName, _ what: String) throws(RoomError) -> PKCharter.Party {
    guard let charter = pk.running?.meeting?.charter, let party = charter[room], room != name else {
      throw RoomError(.roomNotInPK, "room \(room.brief) is not in a PK of several rooms with this one")
    }
    guard party.inviter == name || charter.parties.first?.room == name else {
      throw RoomError(.noPermission, "only the room that invited \(room.brief), and the one that began the PK, may \(what) it")
    }
    return party
  }

  /// Asks the leader for a change, until the charter shows the change.
  mutating func wish(_ change: PKWish.Change) {
    makeMeeting()
    guard var running = pk.running, let meeting = running.meeting else { return }
    let wish = PKWish(change: change, until: clock + rules.pkBeginTime)
    running.wishes = ((running.wishes ?? []).filter { $0.change != change } + [wish]).suffix(16)
    if !consider(running, since: meeting) { sendBeats() }
  }

  /// Makes a PK of two one of several rooms.
  private mutating func makeMeeting() {
    guard var running = pk.running, running.meeting == nil, running.info.mode == .bridge else { return }
    let info = running.info
    let own = PKCharter.Party(id: info.pkId, room: name, host: info.host, inviter: "")
    let other = PKCharter.Party(id: info.pkId, room: info.room, host: info.userId, inviter: "")
    // Both rooms make the same charter, without a message.
    var (first, second) = info.inviter ? (own, other) : (other, own)
    first.id = Self.firstParty(of: info.pkId)
    second.inviter = first.room
    running.meeting = PKMeeting(
      name, PKCharter(parties: [first, second], startedAt: info.startedAt), silence: rules.pkSilenceTime, at: clock)
    if let end = info.endsAt {
      running.wishes = [PKWish(change: .end(at: end), until: max(end, clock + rules.pkBeginTime))]
    }
    pk.running = running
  }

  // MARK: Deciding

  /// Applies what the meeting agreed on, and decides if this room leads.
  /// - Returns: whether beats were sent, or the PK ended.
  @discardableResult
  mutating func consider(_ new: RunningPK, since before: PKMeeting) -> Bool {
    var running = new
    while let meeting = running.meeting {
      guard meeting.charter[name] != nil else {
        pk.running = running
        endPK(.removed, by: "")
        return true
      }
      running.meetPeers(now: clock, silence: rules.pkSilenceTime)
      guard !running.peers.isEmpty else {
        let last = running.lastDeparture
        endPK(last?.reason ?? .lost, in: last?.room, by: last?.by ?? "")
        return true
      }
      guard !running.peers.contains(where: { isKeptApart(from: $0.room) }) else {
        endPK(.apart, by: "")
        return true
      }
      running.settle(now: clock, grace: rules.pkGraceTime)
      if let end = running.info.endsAt, end <= clock { running.finalAt = end }
      running.meeting = decided(running, meeting)
      if running.meeting == meeting { break }
    }
    guard let meeting = running.meeting else { return false }
    running.wishes?.removeAll { isOver($0, in: meeting.charter) }
    if running.wishes?.isEmpty ?? false { running.wishes = nil }
    change(to: running, sendsUpdate: false)
    for party in meeting.charter.parties where pk.isOutgoing(party.id) { endPKInvitation(party.id, .accepted) }
    if let closesAt = running.closesAt, closesAt <= clock {
      endPK(.time, by: "")
      return true
    }
    guard meeting.isNews(since: before) else { return false }
    sendBeats()
    for party in before.others where meeting.leads && meeting.charter[party: party.id] == nil { sendBeat(to: party.room) }
    return true
  }

  private func isOver(_ wish: PKWish, in charter: PKCharter) -> Bool {
    if wish.until <= clock { return true }
    return switch wish.change {
    case .join(let party): charter[party: party.id] != nil || pk[party.id] == nil
    case .remove(let id): charter[party: id] == nil
    case .mute(let id, let isMuted): charter[party: id].map { $0.isMuted == isMuted } ?? true
    case .end(let time): charter.endsAt ?? 0 >= time
    }
  }

  /// Returns the meeting after the next decision of this room, if the room leads and something is to be decided.
  private func decided(_ running: RunningPK, _ meeting: PKMeeting) -> PKMeeting {
    guard meeting.leads else { return meeting }
    var meeting = meeting
    let limit = meeting.charter.rules?.rooms ?? rules.pkRooms
    var changes = meeting.departed.sorted { $0.rawValue < $1.rawValue }.map { PKWish.Change.remove($0) }
    for peer in running.peers where peer.silentAt == nil && peer.goneUntil ?? .max <= clock {
      if let party = meeting.charter[peer.room] { changes.append(.remove(party.id)) }
    }
    changes += ((running.wishes ?? []).map(\.change) + meeting.wishes).filter { change in
      if case .join(let party) = change { mayMeet(party.room, running) } else { true }
    }
    meeting.decide(at: clock) { charter in
      for change in changes {
        let before = charter
        charter.apply(change, limit: limit)
        // One at a time: a quorum of the old and of the new charter then have a room in common.
        if charter != before { return }
      }
      if let end = postponedEnd(running, charter) {
        charter.endsAt = end
        charter.extensions += 1
      } else if let end = charter.endsAt, charter.result == nil, end <= clock, hasScores(running, at: end) {
        charter.result = PKResult(
          of: charter.parties.compactMap { party in
            let score = party.room == name ? running.info.score : running[peer: party.room]?.score
            return score.map { PKResult.Score(room: party.room, score: $0, team: party.team) }
          })
      }
    }
    return meeting
  }

  private func postponedEnd(_ running: RunningPK, _ charter: PKCharter) -> Int64? {
    guard let overtime = charter.rules?.overtime, let scoredAt = running.scoredAt, let end = charter.endsAt,
      charter.result == nil, scoredAt < end, charter.extensions < Self.extensions
    else { return nil }
    let later = scoredAt + Int64(overtime) * 1000
    return later > end ? later : nil
  }

  private func hasScores(_ running: RunningPK, at end: Int64) -> Bool {
    clock >= end + Self.scoreTime || running.peers.allSatisfy { $0.finalAt == end || $0.silentAt == nil }
  }

  // MARK: Time

  mutating func expireMeeting(_ old: RunningPK, _ before: PKMeeting) {
    var (running, meeting) = (old, before)
    if let closesAt = running.closesAt, closesAt <= clock { return endPK(.time, by: "") }
    if let goneUntil = running.goneUntil, goneUntil <= clock { return endPK(.lost, by: "") }
    meeting.advance(to: clock)
    running.meeting = meeting
    for index in running.peers.indices {
      if let silentAt = running.peers[index].silentAt, silentAt <= clock { running.peers[index].silentAt = nil }
    }
    var isDue = running.nextBeat <= clock
    if let end = running.info.endsAt, end <= clock, running.finalAt != end {
      running.finalAt = end
      running.version += 1
      isDue = true
    }
    guard isDue else {
      consider(running, since: before)
      return
    }
    let limit = clock - rules.pkSilenceTime - rules.pkGraceTime
    if meeting.ledAt <= limit { return endPK(.lost, by: "") }
    if let end = running.info.endsAt, running.info.result == nil, end <= limit { return endPK(.time, by: "") }
    let awaitsResult = running.finalAt != nil && running.info.result == nil
    running.nextBeat = clock + (awaitsResult ? 1000 : rules.pkBeatTime)
    if !consider(running, since: before) { sendBeats() }
  }

  // MARK: Sending

  /// Sends this room's state to all others.
  mutating func sendBeats() { for party in pk.running?.meeting?.others ?? [] { sendBeat(to: party.room) } }

  private mutating func sendBeat(to room: RoomName) {
    guard var running = pk.running, var meeting = running.meeting else { return }
    let beat = meeting.beat(wishes: running.wishes ?? [])
    running.meeting = meeting
    pk.running = running
    send(.meet(beat, running.report(to: room, apart: rules.pkApart)), about: running.info.pkId, to: room)
  }

  /// Notifies the other rooms that this one left, and ends the invitations to the PK.
  mutating func leaveMeeting(_ running: RunningPK, _ reason: PKEndReason, by user: UserID) {
    guard let meeting = running.meeting else { return }
    let last = PKHalf.LastMeeting(
      pkId: running.info.pkId, charter: meeting.held, counts: meeting.proposal == nil)
    pk.lastMeeting = last
    cancelOutgoing(.cancelled, by: user)
    guard let party = meeting.charter[name] else { return }
    let departure = PKDeparture(
      party: party.id, reason: reason, by: user, charter: last.charter, counts: last.counts)
    for other in meeting.others { send(.depart(departure), about: running.info.pkId, to: other.room) }
  }
}
