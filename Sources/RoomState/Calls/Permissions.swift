import RoomProtocol

extension RoomState {
  /// Returns the member that makes a call.
  func member(_ user: UserID) throws(RoomError) -> Member {
    guard !isClosed else { throw RoomError(.noSuchRoom, "the room \(name) is closed") }
    guard let member = members[user] else { throw RoomError(.notInRoom, "\(user.brief) is not in the room; join first") }
    return member
  }

  /// Throws for a caller that is not in the room.
  func checkPresence(_ caller: Caller) throws(RoomError) {
    switch caller {
    case .user(let user): _ = try member(user)
    case .api: guard !isClosed else { throw RoomError(.noSuchRoom, "the room \(name) is closed") }
    }
  }

  /// Throws for a user without the `admin` grant.
  /// - Parameter what: the start of the error message, such as "kicking".
  func checkAdmin(_ caller: Caller, _ what: String) throws(RoomError) {
    try checkPresence(caller)
    guard isAdmin(caller) else { throw RoomError(.noPermission, "\(what) needs the admin grant") }
  }

  func isAdmin(_ caller: Caller) -> Bool {
    switch caller {
    case .api: true
    case .user(let user): members[user]?.grants.contains(.admin) ?? false
    }
  }

  /// Throws for a user that must not be shown on a seat.
  func checkMaySit(_ user: UserID, _ member: Member) throws(RoomError) {
    guard !member.isHidden else {
      throw RoomError(.noPermission, "a hidden participant can't take a seat: it would be visible")
    }
    guard member.guestOf == nil else {
      throw RoomError(.connectMicFailed, "\(user.brief) is a guest of the PK and can't take a seat")
    }
  }

  /// Returns a member that is visible to others.
  func visibleMember(_ user: UserID) throws(RoomError) -> Member {
    guard let member = members[user], !member.isHidden else {
      throw RoomError(.notInRoom, "there is no user \"\(user.brief)\" in the room")
    }
    return member
  }
}

extension String {
  /// The first 64 characters, for error messages.
  var brief: Substring { prefix(64) }
}
