import RoomProtocol

/// The PK of a room: two anchors of two rooms on one split screen, each with its own audience and its own publish URL.
///
/// ```swift
/// try await room.pk.invite("bob", in: "room-b")
/// for await event in room.pk.events() {
///   switch event {
///   case .invited(let invitation) where invitation.to.room == room.name: try await room.pk.accept(invitation.pkId)
///   case .began(let pk): print("against \(pk.userId)")
///   default: break
///   }
/// }
/// ```
///
/// Each anchor is on seat 0 of its room. With `PKMode.bridge` both stay in their rooms, and the server connects them. With
/// `PKMode.move` the inviting anchor joins the other room with ``move(_:)`` and returns with ``returnHome(token:)``.
///
/// Every call throws `RoomError` if the server rejects it, and ``RoomClientError`` if the server cannot be reached. All can
/// throw 80103 if this client is no longer in the room; each call lists its other codes.
public struct RoomPK: Sendable {
  let session: RoomSession
  /// The stay for which ``move(_:)`` joined this room; nil for any other room.
  let stay: PKStay?

  /// The room's PK as seen from this room, whose anchor is `host`; nil if there is none.
  public var current: PKInfo? { session.store.value.room?.pk }
  /// The pending invitations of both directions; empty without the `admin` grant.
  public var invitations: [PKInvitation] { session.store.value.room?.pkInvitations ?? [] }
  /// The search for an opponent; nil if there is none, and without the `admin` grant.
  public var matching: PKTicket? { session.store.value.room?.pkMatching }
  /// Whether ``move(_:)`` joined this room, so that ``returnHome(token:)`` is possible.
  public var isAway: Bool { stay != nil }

  /// Returns a new stream of the PK's events; see ``Room/events()`` for what it contains and loses.
  public func events() -> AsyncStream<PKEvent> { session.store.events.pk.stream() }

  // MARK: Invitations

  /// Invites another room to a PK; needs the `admin` grant. An unanswered invitation times out after 30 s.
  ///
  /// The event `pkInvitationEnded` reports the outcome, and `pkBegan` follows if it was accepted.
  /// - Parameters:
  ///   - userId: the anchor to invite; nil for the user on seat 0 of the other room.
  ///   - room: the other room's name.
  ///   - mode: how the anchors are connected.
  ///   - duration: how long the PK lasts in seconds, 10…86400; nil until somebody ends it. The server ends it then.
  /// - Returns: the invitation's id and the time of its timeout.
  /// - Throws: 10003 without the grant; 10012 if this room is in a PK; 80702 if this room has no user on seat 0, `room` is this
  ///   room, or another invitation is pending. The event `pkInvitationEnded` reports an unknown room or user, and a room that
  ///   is in a PK.
  @discardableResult
  public func invite(
    _ userId: UserID? = nil, in room: RoomName, mode: PKMode = .bridge, duration: Int? = nil
  ) async throws -> PKInviteResult {
    try await session.change(
      .pk(.invite(PKInviteParams(room: room, userId: userId, mode: mode, duration: duration))), for: PKInviteResult.self)
  }

  /// Invites several rooms to one PK, or one more to the PK that runs; needs the `admin` grant.
  ///
  /// The PK begins with the first room that accepts; the others join as they accept. Each invitation has its own id and outcome.
  /// - Throws: as ``invite(_:in:mode:duration:)``; also 10013 if the PK to join does not run in this room, and 80702 if the PK
  ///   would have too many rooms.
  @discardableResult
  public func invite(_ params: PKInviteParams) async throws -> PKInviteResult {
    try await session.change(.pk(.invite(params)), for: PKInviteResult.self)
  }

  /// Cancels an invitation of this room; needs the `admin` grant.
  /// - Throws: 10003 without the grant; 80703 if it is no longer pending.
  public func cancel(_ pkId: PKID) async throws { try await ask(.cancel(PKParams(pkId: pkId))) }

  /// Accepts an invitation; needs the `admin` grant. The event `pkBegan` follows, or `pkInvitationEnded` if the other room
  /// withdrew.
  /// - Throws: 10003 without the grant; 10012 if this room is in a PK; 80704 if the invitation is no longer pending or the
  ///   invited anchor is absent.
  public func accept(_ pkId: PKID) async throws { try await ask(.accept(PKParams(pkId: pkId))) }

  /// Rejects an invitation; needs the `admin` grant.
  /// - Parameters:
  ///   - pkId: the invitation's id.
  ///   - reason: a reason for the other room, at most 256 bytes.
  /// - Throws: 10003 without the grant; 80704 if the invitation is no longer pending, or the reason is too long.
  public func reject(_ pkId: PKID, reason: String? = nil) async throws {
    try await ask(.reject(PKRejectParams(pkId: pkId, reason: reason)))
  }

  // MARK: Finding an opponent

  /// Looks for an opponent among the rooms that do the same; needs the `admin` grant. The longest waiting room that fits is
  /// chosen, and the PK begins without an answer.
  ///
  /// The event `pkMatchEnded` reports the outcome, and `pkBegan` follows if there is an opponent. The search ends when the host
  /// leaves the seat or the room, and when another PK begins.
  /// - Parameter params: what the opponent must have in common with this room.
  /// - Returns: the search's id and the time of its timeout.
  /// - Throws: 10003 without the grant; 10012 if this room is in a PK; 80702 if a parameter is invalid, this room has no
  ///   connected user on seat 0, looks for an opponent already, or has invited another room.
  @discardableResult public func match(_ params: PKMatchParams = PKMatchParams()) async throws -> PKMatchResult {
    try await session.change(.pk(.match(params)), for: PKMatchResult.self)
  }

  /// Ends the search for an opponent; needs the `admin` grant.
  /// - Throws: 10003 without the grant; 80703 if there is none.
  public func cancelMatch() async throws { try await ask(.cancelMatch) }

  // MARK: During a PK

  /// Mutes or unmutes the other anchor in this room and in its broadcast; for the room's anchor, and with the `admin` grant.
  ///
  /// An anchor that has moved mutes the other one in its own broadcasts.
  /// - Throws: 10003 without permission; 10013 if there is no PK.
  public func mutePeer(_ muted: Bool) async throws {
    guard let stay else { return try await ask(.mutePeer(PKMuteParams(muted: muted))) }
    for broadcast in stay.broadcasts {
      let layouts = broadcast.layouts(muting: stay.peer, muted)
      let _: Empty = try await session.request(.setLayouts(LayoutsParams(jobId: broadcast.away.jobId, layouts: layouts)))
    }
  }

  /// Mutes or unmutes the anchor of one of several other rooms; for the room's anchor, and with the `admin` grant.
  /// - Parameters:
  ///   - muted: whether the anchor is muted.
  ///   - room: the anchor's room.
  ///   - forAll: whether to mute the anchor in all rooms. Only the room that invited the anchor's room, and the one that began the
  ///     PK, may do so.
  /// - Throws: 10003 without permission; 10013 if the room is not in the PK.
  public func mute(_ muted: Bool, anchorOf room: RoomName, forAll: Bool = false) async throws {
    try await ask(.mutePeer(PKMuteParams(muted: muted, room: room, forAll: forAll)))
  }

  /// Removes a room from a PK of several; needs the `admin` grant. Only the room that invited that one, and the one that began the
  /// PK, may do so.
  /// - Throws: 10003 without permission; 10013 if the room is not in the PK.
  public func remove(_ room: RoomName) async throws { try await ask(.remove(PKRemoveParams(room: room))) }

  /// Invites the rooms of this room's last PK again, with the same teams, rules and duration; needs the `admin` grant.
  /// - Returns: the id of the new PK and the time of the timeout.
  /// - Throws: 10003 without the grant; 10012 if this room is in a PK; 10013 if it was in none yet; 80702 as ``invite(_:)``.
  @discardableResult public func rematch() async throws -> PKInviteResult {
    try await session.change(.pk(.rematch), for: PKInviteResult.self)
  }

  /// Adds a gift to this room's score, once for each id; needs the `admin` grant.
  /// - Parameter gift: the gift, with an id that is unique during the PK. A repeated call changes nothing.
  /// - Returns: this room's score, and whether the call changed it.
  /// - Throws: 10003 without the grant; 10001 for values out of range and a gift that the rules do not name; 10013 if there is no
  ///   PK, or its time is over.
  @discardableResult public func add(_ gift: PKGiftParams) async throws -> PKGiftResult {
    try await session.change(.pk(.addGift(gift)), for: PKGiftResult.self)
  }

  /// Sets this room's total score, which all rooms receive; needs the `admin` grant.
  /// - Parameter score: −(2^53 − 1) to 2^53 − 1.
  /// - Throws: 10003 without the grant; 10001 for a score out of range; 10013 if there is no PK.
  public func setScore(_ score: Int) async throws { try await ask(.setScore(PKScoreParams(score: score))) }

  /// Moves the end of the PK to a later time; needs the `admin` grant. Both rooms receive the new `endsAt` of the PK.
  /// - Parameter seconds: the seconds to add, 1…86400; without an end so far, they count from now.
  /// - Throws: 10003 without the grant; 10001 for a number out of range, or an end more than a day away; 10013 if there is no PK.
  public func extend(by seconds: Int) async throws { try await ask(.extend(PKExtendParams(seconds: seconds))) }

  /// Resumes the PK after a new join of the room, within 20 s of the disconnection; for the anchor.
  ///
  /// Not needed after an automatic reconnection.
  /// - Returns: the PK.
  /// - Throws: 10003 without permission; 10013 if there is no PK; 80705 if no anchor is missing; 10016 if another user is on
  ///   seat 0.
  @discardableResult public func resume() async throws -> PKInfo {
    try await session.change(.pk(.resume), for: PKInfo.self)
  }

  /// Ends a PK of two for both rooms, and leaves one of several; for the anchors, and with the `admin` grant.
  /// - Throws: 10003 without permission; 10013 if there is no PK.
  public func quit() async throws { try await ask(.quit) }

  // MARK: Moving

  /// Moves into the other room, after `pkBegan`. Only the inviting anchor of a PK with `PKMode.move` can call it.
  ///
  /// The steps are in this order, so that viewers see no gap and both rooms always know where the anchor is:
  /// 1. Join the other room with the PK token that the server sent after `pkBegan`. The own room now treats the anchor as away,
  ///    not as gone.
  /// 2. Publish this client's tracks there. For a moment both rooms receive each frame.
  /// 3. Start a merge job for each forward job of its own tracks that this client started. The URL is the same, with a
  ///    `serialnum` larger by one. Wait until these jobs have taken over.
  /// 4. Leave the own room, whose ``Room`` is then closed. Seat 0 there is reserved during the PK.
  ///
  /// Meanwhile the own room's audience watches the broadcast. Jobs that the app's server started must be moved by the app's
  /// server.
  /// - Parameter plan: the split screen and the options of the move.
  /// - Returns: the other room. The room's ``Room/pk`` has ``returnHome(token:)``.
  /// - Throws: ``RoomClientError/cannotMove(_:)`` if there is no such PK, or if a job's URL belongs to the room; else as
  ///   ``Room/connect(to:token:options:)``, ``Room/publish(_:)`` and ``RoomJobs/start(_:)-(MergeParams)``. All steps are undone: the anchor
  ///   is still in its own room. If it had already joined the other room, leaving that room has ended the PK.
  public func move(_ plan: PKMove = PKMove()) async throws -> Room {
    try await AnchorMove(session: session, plan: plan).run()
  }

  /// Returns to the own room after ``move(_:)``: after `pkEnded`, or earlier, which ends the PK.
  ///
  /// Joins the own room, takes its seat and publishes the tracks. Ends the PK if it is still on. Starts the forward jobs again,
  /// on the same URLs with a `serialnum` larger by one. Waits until they have taken over, and leaves the other room.
  ///
  /// Works also if the other room was closed or the anchor was kicked from it. A job that the server rejects results in a
  /// `jobEnded` event with `failed` in the own room.
  /// - Parameter token: a token for the own room; nil for the one used before.
  /// - Returns: the own room.
  /// - Throws: ``RoomClientError/notAway`` if this client has not moved here; else as ``Room/connect(to:token:options:)`` and
  ///   ``Room/publish(_:)``. The anchor is still in the other room then, and may try again.
  public func returnHome(token: String? = nil) async throws -> Room {
    guard let stay else { throw RoomClientError.notAway }
    return try await AnchorReturn(session: session, stay: stay).run(token: token)
  }

  private func ask(_ call: PKCall) async throws { let _: Empty = try await session.change(.pk(call)) }
}
