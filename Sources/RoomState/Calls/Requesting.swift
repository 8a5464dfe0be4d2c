import RoomProtocol

extension RoomState {
  /// Requests a seat; −1 for any.
  /// - Throws: 80103; 10003 for a hidden user, and for seat 0 without the `admin` grant; 80401 for the guest of a PK; 80413;
  ///   80411 if the user already has a pending request or invitation; 80501; 10016; 80503; 80412 if too many requests are
  ///   pending.
  public mutating func requestSeat(_ index: Int, by user: UserID) throws(RoomError) {
    let member = try member(user)
    try checkMaySit(user, member)
    try checkUnseated(user)
    guard requests[user] == nil else { throw RoomError(.requestFailed, "\(user.brief) has already requested a seat") }
    guard invitations[user] == nil else {
      throw RoomError(.requestFailed, "\(user.brief) is invited to a seat: accept it with acceptInvitation")
    }
    if index != -1 { try checkFree(index, for: user, isAdmin: member.grants.contains(.admin)) }
    guard requests.count < rules.requests else {
      throw RoomError(.requestsFull, "\(rules.requests) users have pending requests; try again later")
    }
    let request = SeatRequest(userId: user, index: index, at: clock, expiresAt: clock + rules.requestTime)
    requests.append(request)
    announce(.seatRequested(request))
  }

  /// Cancels the user's own request.
  /// - Throws: 80103; 80411 if there is none.
  public mutating func cancelRequest(by user: UserID) throws(RoomError) {
    _ = try member(user)
    guard requests[user] != nil else { throw RoomError(.requestFailed, "\(user.brief) has not requested a seat") }
    endRequest(of: user, .cancelled, by: user)
  }

  /// Gives a user the requested seat, or the first free one if that is taken.
  /// - Throws: 10003; 80414 if the request is no longer pending; 80502, 80503 if no seat is available: the request stays
  ///   pending.
  public mutating func acceptRequest(of user: UserID, by caller: Caller) throws(RoomError) -> SeatResult {
    try checkAdmin(caller, "accepting a request")
    guard let request = requests[user] else { throw RoomError(.acceptFailed, Self.noRequest(of: user)) }
    let index = try seat(like: request.index, for: user)
    endRequest(of: user, .accepted, index: index, by: caller.eventUserID)
    sit(user, on: index, .requested, by: caller.eventUserID)
    return SeatResult(index: index)
  }

  /// Rejects a request.
  /// - Throws: 10003; 80415 if the request is no longer pending.
  public mutating func rejectRequest(of user: UserID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "rejecting a request")
    guard requests[user] != nil else { throw RoomError(.rejectFailed, Self.noRequest(of: user)) }
    endRequest(of: user, .rejected, by: caller.eventUserID)
  }

  /// Returns the pending requests, oldest first.
  public func listRequests(by caller: Caller) throws(RoomError) -> SeatRequestList {
    try checkPresence(caller)
    return SeatRequestList(requests: requests.all)
  }

  private static func noRequest(of user: UserID) -> String {
    "\(user.brief) has no pending request: it was answered, cancelled or has expired"
  }

  mutating func endRequest(of user: UserID, _ outcome: SeatOutcome, index: Int? = nil, by: UserID = "") {
    guard requests.remove(user) != nil else { return }
    announce(.seatRequestEnded(SeatEndedData(userId: user, outcome: outcome, index: index, by: by)))
  }

  /// Ends the user's pending request and invitation.
  mutating func endWaiting(of user: UserID, _ outcome: SeatOutcome) {
    endRequest(of: user, outcome)
    endInvitation(of: user, outcome)
  }
}
