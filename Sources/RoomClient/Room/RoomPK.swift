import RoomProtocol

/// The PK of a room: two anchors of two rooms on one split screen, each with its own audience and its own publish URL.
///
/// ```swift
/// try await room.pk.invite("bob", in: "room-b")
/// for await event in room.events {
///   switch event {
///   case .pkInvited(let invitation) where invitation.to.room == room.name: try await room.pk.accept(invitation.pkId)
///   case .pkBegan(let pk): print("against \(pk.userId)")
///   default: break
///   }
/// }
/// ```
///
/// Each anchor sits on seat 0 of its room. With ``PKWay/bridge`` both stay where they are, and the server does the rest. With
/// ``PKWay/move`` the inviting anchor goes into the other room by ``move(_:)`` and comes back by ``returnHome(token:)``.
///
/// Every call throws the server's refusal as `RoomError`, and `RoomClientError` where it can't be asked. 80103 is for who is in the
/// room no more; the other codes are at each call.
public struct RoomPK: Sendable {
  let session: RoomSession
  /// Where this client is a guest: what it came from.
  let visit: PKVisit?

  /// The PK that the room is in, as this room sees it: `host` is the room's own anchor.
  public var current: PKInfo? { session.board.value.room?.pk }
  /// Invitations that wait, of both directions; empty without the `admin` grant.
  public var invitations: [PKInvitation] { session.board.value.room?.pkInvitations ?? [] }
  /// Whether this client moved here for a PK, and has a room to return to.
  public var isAway: Bool { visit != nil }

  // MARK: Coming together

  /// Asks another room for a PK; needs the `admin` grant. `pkInvitationEnded` tells the outcome, `pkBegan` that it is on; unanswered it
  /// ends after 30 s.
  /// - Parameters:
  ///   - userId: the anchor that is meant; nil for whoever sits on seat 0 there.
  ///   - room: the other room's name.
  /// - Returns: the invitation's id and the time at which it ends by itself.
  /// - Throws: 10003; 10012 this room is in a PK; 80702 nobody sits on seat 0 here, `room` is this room, or another invitation waits.
  ///   That there is no such room, or user, or that the room is in a PK, comes with `pkInvitationEnded`.
  @discardableResult
  public func invite(_ userId: UserID? = nil, in room: RoomName, way: PKWay = .bridge) async throws -> PKInviteResult {
    try await session.change(
      .pk(.invite(PKInviteParams(room: room, userId: userId, way: way))), for: PKInviteResult.self)
  }

  /// Takes the own invitation back; needs the `admin` grant.
  /// - Throws: 10003; 80703 it waits no more.
  public func cancel(_ pkId: PKID) async throws { try await ask(.cancel(PKParams(pkId: pkId))) }

  /// Says yes; needs the `admin` grant. `pkBegan` follows, or `pkInvitationEnded` where the other room thought better of it.
  /// - Throws: 10003; 10012 this room is in a PK; 80704 the invitation waits no more, or the invited anchor is not there.
  public func accept(_ pkId: PKID) async throws { try await ask(.accept(PKParams(pkId: pkId))) }

  /// Says no; needs the `admin` grant.
  /// - Parameter reason: for the other room; at most 256 bytes.
  /// - Throws: 10003; 80704 the invitation waits no more, or the reason is too long.
  public func reject(_ pkId: PKID, reason: String? = nil) async throws {
    try await ask(.reject(PKRejectParams(pkId: pkId, reason: reason)))
  }

  // MARK: While it is on

  /// Stops or goes on hearing the other anchor, here and in this room's broadcast; for the room's anchor, and with the `admin` grant. An
  /// anchor that has moved mutes the other in its own broadcasts.
  /// - Throws: 10003; 10013 no PK is on.
  public func mutePeer(_ muted: Bool) async throws {
    guard let visit else { return try await ask(.mutePeer(PKMuteParams(muted: muted))) }
    for broadcast in visit.broadcasts {
      let layouts = broadcast.layouts(muting: visit.peer, muted)
      try await session.setLayouts(LayoutsParams(jobId: broadcast.away.jobId, layouts: layouts))
    }
  }

  /// Sets this room's score, as a whole; both rooms are told. Needs the `admin` grant.
  /// - Parameter score: −(2^53 − 1) to 2^53 − 1.
  /// - Throws: 10003; 10001 beyond; 10013 no PK is on.
  public func setScore(_ score: Int) async throws { try await ask(.setScore(PKScoreParams(score: score))) }

  /// Goes on with the PK after a new join of the room, within 20 s of having left it; for the anchor. A connection that comes back by
  /// itself does it by itself.
  /// - Throws: 10003; 10013 no PK is on; 80705 nobody is missing; 10016 somebody else sits on seat 0.
  @discardableResult public func resume() async throws -> PKInfo {
    try await session.change(.pk(.resume), for: PKInfo.self)
  }

  /// Ends the PK for both rooms; for both anchors, and with the `admin` grant.
  /// - Throws: 10003; 10013 no PK is on.
  public func quit() async throws { try await ask(.quit) }

  private func ask(_ call: PKCall) async throws { let _: Empty = try await session.change(.pk(call)) }
}
