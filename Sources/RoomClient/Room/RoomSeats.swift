import RoomProtocol

/// The seats of a room: the layout, the users on the seats, and the pending requests and invitations.
///
/// ```swift
/// try await room.seats.request()                       // a listener requests a seat…
/// try await room.seats.accept("alice")                 // …and a host accepts
/// ```
///
/// Seat 0 is the host's. A user on a seat may publish even if its token lacks the grant. When a user loses its seat, by its own
/// call, by an admin or by another layout, its tracks are unpublished; they may be published again.
///
/// Every call throws `RoomError` if the server rejects it, and ``RoomClientError`` if the server cannot be reached. All can
/// throw 80103 if this client is no longer in the room; each call lists its other codes. All participants receive a change as
/// an event. ``all`` includes it when the call returns.
public struct RoomSeats: Sendable {
  let session: RoomSession

  private var room: RoomSnapshot? { session.store.value.room }

  // MARK: State

  /// The current seats by index.
  public var all: [SeatInfo] { room?.seats ?? [] }
  /// The layout's type, its canvas and each seat's frame.
  public var layout: Layout { room?.layout ?? .standard }
  /// The user on seat 0; nil if it is empty.
  public var host: UserID? { all.first?.userId }
  /// The seat of this client; nil if it has none.
  public var mine: SeatInfo? {
    let value = session.store.value
    return value.me.flatMap { me in value.room?.seats.first { $0.userId == me.userId } }
  }
  /// The pending seat requests, the oldest first.
  public var requests: [SeatRequest] { room?.requests ?? [] }
  /// The pending seat invitations, the oldest first.
  public var invitations: [SeatInvitation] { room?.invitations ?? [] }

  /// The seat of a user; nil if it has none.
  public subscript(userId: UserID) -> SeatInfo? { all.first { $0.userId == userId } }

  /// Returns a new stream of the seats' events; see ``Room/events()`` for what it contains and loses.
  public func events() -> AsyncStream<SeatEvent> { session.store.events.seats.stream() }

  // MARK: Taking and leaving seats

  /// Takes a seat and publishes tracks.
  /// - Parameters:
  ///   - index: the seat; nil for the first free one.
  ///   - tracks: tracks to publish on the seat, which is left again if publishing fails. The tracks may also be published
  ///     later.
  /// - Returns: the seat's index.
  /// - Throws: 10003 without the `publish` grant, or without the `admin` grant for seat 0; 80413 if already on a seat; 80501
  ///   for an unknown seat; 10016 if taken; 80503 if locked; 80502 if none is free; 80401 for a guest of a PK; and as
  ///   ``Room/publish(_:)``.
  @discardableResult
  public func take(_ index: Int? = nil, publishing tracks: [any LocalTrack] = []) async throws -> Int {
    try await publish(tracks, on: try await session.change(.seats(.take(SeatParams(index: index))), for: SeatResult.self))
  }

  /// Leaves the seat; the server unpublishes all tracks of this client.
  /// - Throws: 80403 if on no seat.
  public func leave() async throws { try await ask(.leave) }

  /// Removes a user from its seat; needs the `admin` grant.
  /// - Throws: 10003 without the grant; 80103 if the user is not in the room; 80403 if it is on no seat.
  public func kick(_ userId: UserID) async throws { try await ask(.kick(UserParams(userId: userId))) }

  /// Sets the switches of a seat, all or none. A nil value stays unchanged.
  /// - Parameters:
  ///   - index: the seat.
  ///   - locked: whether the seat is locked, so that no user can take it; needs the `admin` grant.
  ///   - muted: whether the user on the seat is muted; needs the `admin` grant.
  ///   - video: whether the user's video is on; for the user itself, or with the `admin` grant.
  ///   - audio: whether the user's audio is on; for the user itself, or with the `admin` grant.
  /// - Throws: 10003 without permission; 80501 for an unknown seat; 80403 for `video` or `audio` of an empty seat.
  public func set(
    _ index: Int, locked: Bool? = nil, muted: Bool? = nil, video: Bool? = nil, audio: Bool? = nil
  ) async throws {
    try await ask(.set(SeatSwitches(index: index, locked: locked, muted: muted, video: video, audio: audio)))
  }

  /// Changes the layout; needs the `admin` grant. A change of the type removes everyone but the host from the seats.
  /// - Parameters:
  ///   - type: the layout's type.
  ///   - canvas: the canvas in pixels; nil for 720x1280.
  ///   - frames: for `custom` only: 1 to 16 frames as fractions of the canvas, the host's first.
  /// - Throws: 10003 without the grant; 80601 if the room already has this layout; 80302 naming the invalid field.
  public func setLayout(_ type: LayoutType, canvas: CanvasSize? = nil, frames: [SeatFrame]? = nil) async throws {
    try await ask(.setLayout(LayoutParams(type, canvas: canvas, frames: frames)))
  }

  // MARK: Requests

  /// Requests a seat. The event `seatRequestEnded` reports the outcome. An unanswered request times out after 30 s.
  /// - Parameter index: the seat; nil for any. If it is taken when the request is accepted, the user gets the first free one.
  /// - Throws: 80413 if already on a seat; 80411 if a request or invitation is already pending; 80501, 10016 or 80503 if the
  ///   seat cannot be taken; 80412 if ten requests are pending; 10003 for seat 0 without the `admin` grant; 80401 for a guest
  ///   of a PK.
  public func request(_ index: Int? = nil) async throws { try await ask(.request(SeatParams(index: index))) }

  /// Cancels this client's request.
  /// - Throws: 80411 if there is none.
  public func cancelRequest() async throws { try await ask(.cancelRequest) }

  /// Accepts a user's request; needs the `admin` grant.
  /// - Returns: the seat's index.
  /// - Throws: 10003 without the grant; 80414 if it is no longer pending; 80502 or 80503 if no seat is free: the request stays
  ///   pending.
  @discardableResult public func accept(_ userId: UserID) async throws -> Int {
    try await session.change(.seats(.acceptRequest(UserParams(userId: userId))), for: SeatResult.self).index
  }

  /// Rejects a user's request; needs the `admin` grant.
  /// - Throws: 10003 without the grant; 80415 if it is no longer pending.
  public func reject(_ userId: UserID) async throws { try await ask(.rejectRequest(UserParams(userId: userId))) }

  /// Returns the pending requests from the server, the oldest first. ``requests`` has the same without a call.
  public func listRequests() async throws -> [SeatRequest] {
    try await session.request(.seats(.listRequests), for: SeatRequestList.self).requests
  }

  // MARK: Invitations

  /// Invites a user to a seat; needs the `admin` grant. The event `seatInvitationEnded` reports the outcome. An unanswered
  /// invitation times out after 30 s.
  /// - Parameters:
  ///   - userId: the user to invite.
  ///   - index: the seat; nil for any.
  /// - Throws: 10003 without the grant; 80103 if the user is not in the room; 80413 if it is on a seat; 80411 if a request or
  ///   invitation of it is pending; 80501, 10016 or 80503 if the seat cannot be taken; 80412 if ten invitations are pending;
  ///   80401 for a guest of a PK.
  public func invite(_ userId: UserID, to index: Int? = nil) async throws {
    try await ask(.invite(SeatInviteParams(userId: userId, index: index)))
  }

  /// Cancels an invitation; needs the `admin` grant.
  /// - Throws: 10003 without the grant; 80411 if the user is not invited.
  public func cancelInvitation(of userId: UserID) async throws { try await ask(.cancelInvitation(UserParams(userId: userId))) }

  /// Accepts the invitation of this client, takes the seat and publishes tracks.
  /// - Parameter tracks: as in ``take(_:publishing:)``.
  /// - Returns: the seat's index.
  /// - Throws: 80414 if there is no pending invitation; 80502 or 80503 if no seat is free: the invitation stays pending; and as
  ///   ``Room/publish(_:)``.
  @discardableResult public func acceptInvitation(publishing tracks: [any LocalTrack] = []) async throws -> Int {
    try await publish(tracks, on: try await session.change(.seats(.acceptInvitation), for: SeatResult.self))
  }

  /// Rejects the invitation of this client.
  /// - Throws: 80415 if there is no pending invitation.
  public func rejectInvitation() async throws { try await ask(.rejectInvitation) }

  // MARK: Helpers

  private func ask(_ call: SeatCall) async throws { let _: Empty = try await session.change(.seats(call)) }

  private func publish(_ tracks: [any LocalTrack], on seat: SeatResult) async throws -> Int {
    do {
      try await session.publish(tracks)
    } catch {
      // In a task of its own, because a cancelled task cannot make a call.
      await Task { try? await leave() }.value
      throw error
    }
    return seat.index
  }
}
