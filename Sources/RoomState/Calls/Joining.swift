import RoomProtocol

extension RoomState {
  /// A user came in, or is back after the room was restored. The first who has the `admin` and the `publish` grant and is not
  /// hidden gets the host's seat where it is free.
  /// - Parameter pkId: of a PK token: the user is the other room's anchor, who moves.
  /// - Throws: 10013 where that PK is over or the user is not its anchor; 10011 where the room is closed.
  public mutating func join(_ user: UserID, grants: Grants, pkGuest pkId: PKID? = nil) throws(RoomError) {
    guard !isClosed else { throw RoomError(.noSuchRoom, "the room \(name) is closed") }
    if let pkId { try checkGuest(user, of: pkId) }
    if let old = members[user] {
      // It kept its place while the room was restored.
      members[user]?.grants = grants
      if old.guestOf == pkId { return setConnected(user, true) }
      leave(user, .duplicateLogin)
    }
    members[user] = Member(grants: grants, guestOf: pkId)
    if pkId != nil { return presenceChanged() }
    guard rules.hostIsSeated, grants.contains([.admin, .publish]), !grants.contains(.hidden), case .free = seats.state(of: 0),
      hostSeatIsKept(from: user) == nil
    else { return }
    sit(user, on: 0, .joined, by: user)
  }

  /// A user's connection was lost, or is back. It keeps its place.
  public mutating func setConnected(_ user: UserID, _ connected: Bool) {
    guard !isClosed, let member = members[user], member.connected != connected else { return }
    members[user]?.connected = connected
    if user == pk.running?.info.host || member.guestOf != nil { presenceChanged() }
  }

  /// A user is no more in the room: its seat is free, what it asked for is over.
  public mutating func leave(_ user: UserID, _ reason: EndReason) {
    guard !isClosed, let member = members.remove(user) else { return }
    if let index = seats.index(of: user) { vacate(index, .gone, by: user) }
    endWaiting(of: user, .left)
    for invitation in invitations.all where invitation.by == user {
      endInvitation(of: invitation.userId, .cancelled, by: user)
    }
    anchorLeft(user, member, reason)
  }

  /// Everything that waits ends, and the other room is told. No call is taken any more.
  public mutating func close() {
    guard !isClosed else { return }
    closePK()
    for request in requests.all { endRequest(of: request.userId, .roomClosed) }
    for invitation in invitations.all { endInvitation(of: invitation.userId, .roomClosed) }
    isClosed = true
  }

  /// Takes up a room that was stored: nobody is connected yet, and numbers go on behind all that may have been given before. Those
  /// that `users` names have the grace time to come back; whoever drives the room calls `leave` for the others. What waited goes on
  /// to its time, a PK has its grace time anew.
  /// - Parameter now: milliseconds since 1970.
  public mutating func restore(at now: Int64) {
    clock = max(clock, now)
    journal.beginNewLife()
    for user in members.users.sorted() { setConnected(user, false) }
    resumePKMessages()
    advance(to: clock)
  }

  /// Who is in the room, connected or not.
  public var users: [UserID] { members.users.sorted() }

  /// Whether the user may publish: by its grant, or because it sits on a seat.
  public func mayPublish(_ user: UserID) -> Bool {
    guard let member = members[user] else { return false }
    return member.grants.contains(.publish) || seats.index(of: user) != nil
  }

  /// The room as it is worth storing: without what is remembered for those who lost their connection.
  public var stored: RoomState {
    var copy = self
    copy.journal = journal.emptied
    _ = copy.takeOutputs()
    return copy
  }

  /// What a store that keeps each member apart lacks: the room without its members, and those that changed since the last call.
  /// So the cost of a change does not depend on how many are here.
  public mutating func takeStored() -> (room: RoomState, members: MemberChanges) {
    let changes = members.takeChanges()
    var room = stored
    room.members = Members()
    return (room, changes)
  }

  /// Whether it equals another room but for its clock.
  public func isStored(as other: RoomState) -> Bool {
    var other = other
    other.clock = clock
    return self == other
  }

  /// The store lost what ``takeStored()`` returned: the next call returns all members.
  public mutating func forgetStored() { members.forgetStored() }

  /// Adds the members that a store kept apart to a room that came from ``takeStored()``.
  public mutating func addStored(_ members: [UserID: Member]) { self.members = Members(stored: members) }
}
