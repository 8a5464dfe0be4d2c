import RoomProtocol

extension RoomState {
  /// The user on the host's seat.
  public var host: UserID? { seats.host }

  /// Returns the user's seat; nil if it has none.
  public func seat(of user: UserID) -> SeatInfo? { seats.index(of: user).map { seats.all[$0] } }

  /// All seats, by their index.
  public var allSeats: [SeatInfo] { seats.all }

  /// Takes a seat; −1 for the first free one.
  /// - Throws: 80103; 10003 without the `publish` grant, for a hidden user, and for seat 0 without the `admin` grant; 80401 for
  ///   the guest of a PK; 80413 if the user already has a seat; 80501; 10016; 80502; 80503.
  public mutating func takeSeat(_ index: Int, by user: UserID) throws(RoomError) -> SeatResult {
    let member = try member(user)
    try checkMaySit(user, member)
    guard member.grants.contains(.publish) else {
      throw RoomError(.noPermission, "taking a seat needs the publish grant; use requestSeat instead")
    }
    try checkUnseated(user)
    let isAdmin = member.grants.contains(.admin)
    if index == -1 {
      let free = try anySeat(for: user, isAdmin: isAdmin)
      sit(user, on: free, .taken, by: user)
      return SeatResult(index: free)
    }
    try checkFree(index, for: user, isAdmin: isAdmin)
    sit(user, on: index, .taken, by: user)
    return SeatResult(index: index)
  }

  /// Leaves the user's seat.
  /// - Throws: 80103; 80403 if the user has no seat.
  public mutating func leaveSeat(by user: UserID) throws(RoomError) {
    _ = try member(user)
    guard let index = seats.index(of: user) else { throw RoomError(.wrongMicState, "\(user.brief) has no seat") }
    vacate(index, .left, by: user)
    anchorLeftSeat(user, by: user)
  }

  /// Removes a user from its seat.
  /// - Throws: 10003; 80103 for an unknown user; 80403 for one without a seat.
  public mutating func kickFromSeat(_ user: UserID, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "removing users from seats")
    _ = try visibleMember(user)
    guard let index = seats.index(of: user) else { throw RoomError(.wrongMicState, "\(user.brief) has no seat") }
    vacate(index, .kicked, by: caller.eventUserID)
    anchorLeftSeat(user, by: caller.eventUserID)
  }

  /// Sets switches of a seat atomically.
  /// - Throws: 80501; 10003 for lock and mute without the `admin` grant, and for another user's video and audio; 80403 for
  ///   video and audio of an empty seat.
  public mutating func setSeat(_ switches: SeatSwitches, by caller: Caller) throws(RoomError) {
    try checkPresence(caller)
    try checkIndex(switches.index)
    if switches.locked != nil || switches.muted != nil { try checkAdmin(caller, "locking or muting a seat") }
    let seat = seats[switches.index]
    if switches.video != nil || switches.audio != nil {
      guard let user = seat.userId else { throw RoomError(.wrongMicState, "seat \(seat.index) is empty") }
      guard caller == .user(user) || isAdmin(caller) else {
        throw RoomError(.noPermission, "switching another user's video or audio needs the admin grant")
      }
    }
    seats.set(switches)
    let now = seats[switches.index]
    guard now != seat else { return }
    announce(.seatChanged(SeatChangedData(seat: now, cause: .switched, by: caller.eventUserID)))
    if now.userId != nil { emit(.switched(now)) }
  }

  /// Changes the layout. Another type removes everyone but the host from the seats. Another canvas, or other frames of a custom
  /// layout, removes only those whose seat no longer exists.
  /// - Throws: 10003; 80302 for an invalid layout; 80601 for the current layout.
  public mutating func setLayout(_ params: LayoutParams, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "changing the layout")
    let same = RoomError(.sameLayout, "the layout is already \(layout.type.rawValue)")
    guard params.type != layout.type || params.canvas != nil || params.frames != nil else { throw same }
    let wanted: Layout
    do throws(LayoutError) { wanted = try params.layout() } catch { throw RoomError(.updateRoomFailed, "\(error)") }
    guard wanted != layout else { throw same }
    let off = seats.rebuild(count: wanted.seatCount, keeping: wanted.type == layout.type ? wanted.seatCount : 1)
    layout = wanted
    let users = off.compactMap(\.userId)
    announce(.layoutChanged(LayoutChangedData(layout: wanted, seats: seats.all, off: users, by: caller.eventUserID)))
    for seat in off { if let user = seat.userId { emit(.unseated(userId: user, index: seat.index)) } }
    emit(.arranged(wanted))
  }

  // MARK: Shared checks

  func checkUnseated(_ user: UserID) throws(RoomError) {
    if let index = seats.index(of: user) { throw RoomError(.alreadySeated, "\(user.brief) sits on seat \(index) already") }
  }

  func checkIndex(_ index: Int) throws(RoomError) {
    guard seats.contains(index) else {
      throw RoomError(.seatIndexInvalid, "there is no seat \(index): the layout has 0 to \(seats.count - 1)")
    }
  }

  /// Throws if the user can't have the seat now.
  func checkFree(_ index: Int, for user: UserID, isAdmin: Bool) throws(RoomError) {
    try checkIndex(index)
    guard index > 0 || isAdmin else { throw RoomError(.noPermission, "seat 0 is the host's and needs the admin grant") }
    if index == 0, let anchor = hostSeatReservation(from: user) {
      throw RoomError(.seatTaken, "seat 0 is reserved for \(anchor.brief), who is in a PK")
    }
    switch seats.state(of: index) {
    case .taken(let user): throw RoomError(.seatTaken, "\(user.brief) sits on seat \(index)")
    case .locked: throw RoomError(.seatLocked, "seat \(index) is locked")
    case .free, .missing: break
    }
  }

  /// Returns the first free seat that the user may take; the host's only for admins.
  func anySeat(for user: UserID, isAdmin: Bool) throws(RoomError) -> Int {
    let first = isAdmin && hostSeatReservation(from: user) == nil ? 0 : 1
    switch seats.firstFree(from: first) {
    case .seat(let index): return index
    case .onlyLocked: throw RoomError(.seatLocked, "all free seats are locked")
    case .none: throw RoomError(.seatsFull, "no seat is free")
    }
  }

  /// Returns the wanted seat if it is still available, otherwise the first free one.
  func seat(like wanted: Int, for user: UserID) throws(RoomError) -> Int {
    if case .free = seats.state(of: wanted), wanted > 0 || hostSeatReservation(from: user) == nil { return wanted }
    return try anySeat(for: user, isAdmin: isAdmin(.user(user)))
  }

  mutating func sit(_ user: UserID, on index: Int, _ cause: SeatCause, by: UserID) {
    endWaiting(of: user, .seated)
    seats.seat(user, on: index)
    announce(.seatChanged(SeatChangedData(seat: seats[index], cause: cause, userId: user, by: by)))
    emit(.seated(seats[index]))
  }

  mutating func vacate(_ index: Int, _ cause: SeatCause, by: UserID) {
    guard let user = seats[index].userId else { return }
    seats.vacate(index)
    announce(.seatChanged(SeatChangedData(seat: seats[index], cause: cause, userId: user, by: by)))
    emit(.unseated(userId: user, index: index))
  }
}
