import RoomProtocol

@testable import RoomState

extension RoomState {
  /// Checks the invariants of a room, which hold after every step.
  func checkInvariants() throws {
    for seat in seats.all {
      guard let user = seat.userId else {
        guard seat.video && seat.audio else { throw Violation("switches of an empty seat: \(seat)") }
        continue
      }
      guard seats.index(of: user) == seat.index else { throw Violation("\(user) has two seats") }
      guard let member = members[user], !member.isHidden, member.guestOf == nil else {
        throw Violation("\(user) may not have a seat in \(name): \(String(describing: members[user]))")
      }
    }
    guard seats.count == layout.seatCount, requests.count <= rules.requests, invitations.count <= rules.invitations,
      attributes.count <= rules.attributes, history.count <= rules.historyMessages, journal.count <= rules.journalEntries
    else { throw Violation("a limit is exceeded") }
    for request in requests.all { try checkWaiting(request.userId, until: request.expiresAt) }
    for invitation in invitations.all {
      try checkWaiting(invitation.userId, until: invitation.expiresAt)
      guard requests[invitation.userId] == nil else { throw Violation("\(invitation.userId) has a request and an invitation") }
    }
    if let nextDeadline, nextDeadline <= clock { throw Violation("a deadline passed by \(clock - nextDeadline) ms") }
    try checkPK()
  }

  private func checkWaiting(_ user: UserID, until: Int64) throws {
    guard members[user] != nil, seats.index(of: user) == nil else { throw Violation("\(user) has a stale entry") }
    guard until > clock else { throw Violation("\(user) has an expired entry") }
  }

  private func checkPK() throws {
    if let running = pk.running {
      if let end = running.meeting == nil ? running.info.endsAt : running.closesAt, end <= clock {
        throw Violation("a PK runs after its end")
      }
      guard pk.invitations.allSatisfy({ pk.isOutgoing($0.pkId) && $0.terms?.pkId == running.info.pkId }), pk.accepted == nil,
        pk.crossed == nil
      else {
        throw Violation("invitations are pending during a PK: \(pk)")
      }
      guard running.info.connected == (running.goneUntil == nil), running.info.peerConnected == (running.peerGoneUntil == nil)
      else { throw Violation("the grace time does not match the presence: \(running)") }
      if let host = seats.host, host != running.info.host { throw Violation("\(host) is the host during another user's PK") }
    }
    guard pk.outgoing == nil || pk.outgoingInvitation?.from.room == name else { throw Violation("no invitation sent: \(pk)") }
    guard pk.crossed == nil || pk.outgoing != nil else { throw Violation("crossed without an outgoing invitation: \(pk)") }
    guard pk.accepted == nil || (pk.outgoing == nil && pk.accepted.flatMap({ pk[$0.pkId] }) != nil) else {
      throw Violation("accepted, but not pending: \(pk)")
    }
    // That of the room with which this one is matched comes on top.
    guard pk.incomingCount <= rules.pkInvitations + (search?.match == nil ? 0 : 1) else {
      throw Violation("too many invitations to a PK")
    }
    for invitation in pk.invitations {
      let side = invitation.from.room == name ? invitation.from : invitation.to
      guard side.room == name, side.userId == seats.host else { throw Violation("\(side) is not an anchor of \(name)") }
    }
  }
}
