import RoomProtocol

extension RoomState {
  /// Adds a user, or updates one that returns after the room was restored. The first user with the `admin` and the `publish`
  /// grant that is not hidden is seated on the host's seat if it is free.
  /// - Parameter pkId: the PK of a PK token: the user is the other room's anchor, which joins for the PK.
  /// - Throws: 10013 if that PK is over or the user is not its anchor; 10011 if the room is closed.
  public mutating func join(_ user: UserID, grants: Grants, pkGuest pkId: PKID? = nil) throws(RoomError) {
    guard !isClosed else { throw RoomError(.noSuchRoom, "the room \(name) is closed") }
    if let pkId { try checkGuest(user, of: pkId) }
    if let old = members[user] {
      // The user stayed a member while the room was restored, with what the server API permitted it.
      members[user]?.grants = old.permissions?.grants ?? grants
      if old.guestOf == pkId { return setConnected(user, true) }
      leave(user, .duplicateLogin)
    }
    members[user] = Member(grants: grants, guestOf: pkId)
    if pkId != nil { return presenceChanged() }
    guard rules.hostIsSeated, grants.contains([.admin, .publish]), !grants.contains(.hidden), case .free = seats.state(of: 0),
      hostSeatReservation(from: user) == nil
    else { return }
    sit(user, on: 0, .joined, by: user)
  }

  /// Changes what a member may do.
  public mutating func permit(_ user: UserID, _ permissions: Permissions) {
    guard members[user] != nil else { return }
    members[user]?.grants = permissions.grants
    members[user]?.permissions = permissions
  }

  /// What the server API permits a member; nil for what its token does.
  public func permissions(of user: UserID) -> Permissions? { members[user]?.permissions }

  /// Records that a user's connection was lost or restored. The user stays a member.
  public mutating func setConnected(_ user: UserID, _ connected: Bool) {
    guard !isClosed, let member = members[user], member.connected != connected else { return }
    members[user]?.connected = connected
    if user == search?.ticket.userId { seekerIsConnected(connected) }
    if user == pk.running?.info.host || member.guestOf != nil { presenceChanged() }
  }

  /// Removes a user: its seat becomes free, and its requests and invitations end.
  public mutating func leave(_ user: UserID, _ reason: EndReason) {
    guard !isClosed, let member = members.remove(user) else { return }
    if let index = seats.index(of: user) { vacate(index, .gone, by: user) }
    endWaiting(of: user, .left)
    for invitation in invitations.all where invitation.by == user {
      endInvitation(of: invitation.userId, .cancelled, by: user)
    }
    anchorLeft(user, member, reason)
  }

  /// Closes the room: ends everything pending and notifies the other rooms. Later calls fail.
  public mutating func close() {
    guard !isClosed else { return }
    closePK()
    for request in requests.all { endRequest(of: request.userId, .roomClosed) }
    for invitation in invitations.all { endInvitation(of: invitation.userId, .roomClosed) }
    isClosed = true
  }

  /// Resumes a stored room: no user is connected yet, and numbers continue beyond any that may have been assigned before. The
  /// members in `users` have the grace time to reconnect; the driver calls `leave` for the others. Pending requests and
  /// invitations keep their deadlines, and a PK gets a new grace time.
  /// - Parameter now: milliseconds since 1970.
  public mutating func restore(at now: Int64) {
    clock = max(clock, now)
    journal.skipNumbersAfterRestore()
    for user in members.users.sorted() { setConnected(user, false) }
    resumePKMessages()
    advance(to: clock)
  }

  /// The users in the room, connected or not, sorted.
  public var users: [UserID] { members.users.sorted() }

  /// Returns whether the user may publish: by its grant, or because it has a seat.
  public func mayPublish(_ user: UserID) -> Bool {
    guard let member = members[user] else { return false }
    return member.grants.contains(.publish) || seats.index(of: user) != nil
  }

  /// The room to store: without the journal's entries, which serve only clients that reconnect.
  public var stored: RoomState {
    var copy = self
    copy.journal = journal.emptied
    _ = copy.takeOutputs()
    return copy
  }

  /// Returns the room without its members, and the members that changed since the last call, for a store that keeps each member
  /// separately. The cost of a change then does not depend on the number of members.
  public mutating func takeStored() -> (room: RoomState, members: MemberChanges) {
    let changes = members.takeChanges()
    var room = stored
    room.members = Members()
    return (room, changes)
  }

  /// Returns whether it equals another room apart from the clock.
  public func isStored(as other: RoomState) -> Bool {
    var other = other
    other.clock = clock
    return self == other
  }

  /// Records that the store lost what ``takeStored()`` returned: the next call returns all members.
  public mutating func forgetStored() { members.forgetStored() }

  /// Adds the members that a store kept separately to a room from ``takeStored()``.
  public mutating func addStored(_ members: [UserID: Member]) { self.members = Members(stored: members) }
}
