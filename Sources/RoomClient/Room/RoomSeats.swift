import RoomProtocol

/// The seats of a room and its layout: who sits where, who asks for a seat, and who is asked to take one.
///
/// ```swift
/// try await room.seats.request()                       // a listener asks for a seat…
/// try await room.seats.accept("alice")                 // …and a host gives it one
/// ```
///
/// Seat 0 is the host's. Who sits on a seat may publish, whatever its token says. Who is taken off one, by itself, by a host or by
/// another layout, publishes nothing any more: its tracks are free and may be published again.
///
/// Every call throws the server's refusal as `RoomError`, and `RoomClientError` where it can't be asked. 80103 is for who is in the
/// room no more; the other codes are at each call. What a call changes is told to all as an event, and is in ``all`` when the call returns.
public struct RoomSeats: Sendable {
  let session: RoomSession

  private var room: RoomSnapshot? { session.board.value.room }

  // MARK: What there is

  /// All seats by their index, as they are now.
  public var all: [SeatInfo] { room?.seats ?? [] }
  /// The layout's type, its canvas and each seat's frame.
  public var layout: Layout { room?.layout ?? .standard }
  /// Who sits on seat 0.
  public var host: UserID? { all.first?.userId }
  /// The seat that this client sits on.
  public var mine: SeatInfo? {
    let value = session.board.value
    return value.me.flatMap { me in value.room?.seats.first { $0.userId == me.userId } }
  }
  /// Who asks for a seat, the oldest first.
  public var requests: [SeatRequest] { room?.requests ?? [] }
  /// Who is asked to take a seat, the oldest first.
  public var invitations: [SeatInvitation] { room?.invitations ?? [] }

  /// The seat that a user sits on.
  public subscript(userId: UserID) -> SeatInfo? { all.first { $0.userId == userId } }

  // MARK: Sitting

  /// Sits down, and publishes.
  /// - Parameters:
  ///   - index: nil for the first free seat.
  ///   - tracks: published on the seat; where that fails the seat is left again. They may also be published later.
  /// - Returns: the seat's index.
  /// - Throws: 10003 without the `publish` grant, and for seat 0 without the `admin` grant; 80413 on a seat already; 80501 no such
  ///   seat; 10016 taken; 80503 locked; 80502 none free; 80401 as a guest of a PK; and as ``Room/publish(_:)``.
  @discardableResult
  public func take(_ index: Int? = nil, publishing tracks: [any LocalTrack] = []) async throws -> Int {
    try await publish(tracks, on: try await session.change(.seats(.take(SeatParams(index: index))), for: SeatResult.self))
  }

  /// Gets up; all that this client published is withdrawn.
  /// - Throws: 80403 on no seat.
  public func leave() async throws { try await ask(.leave) }

  /// Takes a user off its seat; needs the `admin` grant.
  /// - Throws: 10003; 80103 no such user; 80403 on no seat.
  public func kick(_ userId: UserID) async throws { try await ask(.kick(UserParams(userId: userId))) }

  /// Sets switches of a seat, all or none; what is nil stays.
  /// - Parameters:
  ///   - locked: nobody may take the seat; needs the `admin` grant.
  ///   - muted: whoever sits there is not heard; needs the `admin` grant.
  ///   - video: whether its user is seen; for the user itself, or with the `admin` grant.
  ///   - audio: whether its user is heard; likewise.
  /// - Throws: 10003; 80501 no such seat; 80403 `video` or `audio` of a seat where nobody sits.
  public func set(
    _ index: Int, locked: Bool? = nil, muted: Bool? = nil, video: Bool? = nil, audio: Bool? = nil
  ) async throws {
    try await ask(.set(SeatSwitches(index: index, locked: locked, muted: muted, video: video, audio: audio)))
  }

  /// Changes the layout; needs the `admin` grant. Another type takes everyone but the host off the seats.
  /// - Parameters:
  ///   - canvas: pixels; 720x1280 if nil.
  ///   - frames: of `custom` alone, 1 to 16, the host's first, in parts of the canvas.
  /// - Throws: 10003; 80601 the room has this layout; 80302 it can't be, and which field is wrong.
  public func setLayout(_ type: LayoutType, canvas: CanvasSize? = nil, frames: [SeatFrame]? = nil) async throws {
    try await ask(.setLayout(LayoutParams(type, canvas: canvas, frames: frames)))
  }

  // MARK: Asking for a seat

  /// Asks for a seat. `seatRequestEnded` tells the outcome; unanswered it ends after 30 s.
  /// - Parameter index: nil for any. Where it is taken when the request is accepted, the first free one is given.
  /// - Throws: 80413 on a seat already; 80411 has asked, or is invited, already; 80501, 10016, 80503 the seat can't be had; 80412
  ///   ten wait already; 10003 seat 0 without the `admin` grant; 80401 as a guest of a PK.
  public func request(_ index: Int? = nil) async throws { try await ask(.request(SeatParams(index: index))) }

  /// Takes the own request back.
  /// - Throws: 80411 there is none.
  public func cancelRequest() async throws { try await ask(.cancelRequest) }

  /// Gives a user the seat it asks for; needs the `admin` grant.
  /// - Returns: the seat's index.
  /// - Throws: 10003; 80414 it waits no more; 80502, 80503 no seat is free: the request waits on.
  @discardableResult public func accept(_ userId: UserID) async throws -> Int {
    try await session.change(.seats(.acceptRequest(UserParams(userId: userId))), for: SeatResult.self).index
  }

  /// Says no to a user that asks for a seat; needs the `admin` grant.
  /// - Throws: 10003; 80415 it waits no more.
  public func reject(_ userId: UserID) async throws { try await ask(.rejectRequest(UserParams(userId: userId))) }

  /// Who asks for a seat, as the server has it, the oldest first. ``requests`` has the same without asking.
  public func listRequests() async throws -> [SeatRequest] {
    try await session.request(.seats(.listRequests), for: SeatRequestList.self).requests
  }

  // MARK: Inviting to a seat

  /// Asks a user to take a seat; needs the `admin` grant. `seatInvitationEnded` tells the outcome; unanswered it ends after 30 s.
  /// - Parameter index: nil for any.
  /// - Throws: 10003; 80103 no such user; 80413 it sits already; 80411 it is invited, or asks, already; 80501, 10016, 80503 the seat
  ///   can't be had; 80412 ten are invited already; 80401 a guest of a PK.
  public func invite(_ userId: UserID, to index: Int? = nil) async throws {
    try await ask(.invite(SeatInviteParams(userId: userId, index: index)))
  }

  /// Takes an invitation back; needs the `admin` grant.
  /// - Throws: 10003; 80411 the user is not invited.
  public func cancelInvitation(of userId: UserID) async throws { try await ask(.cancelInvitation(UserParams(userId: userId))) }

  /// Takes the seat that this client is invited to, and publishes.
  /// - Parameter tracks: as with ``take(_:publishing:)``.
  /// - Returns: the seat's index.
  /// - Throws: 80414 not invited any more; 80502, 80503 no seat is free: the invitation waits on; and as ``Room/publish(_:)``.
  @discardableResult public func acceptInvitation(publishing tracks: [any LocalTrack] = []) async throws -> Int {
    try await publish(tracks, on: try await session.change(.seats(.acceptInvitation), for: SeatResult.self))
  }

  /// Says no to the invitation.
  /// - Throws: 80415 not invited any more.
  public func rejectInvitation() async throws { try await ask(.rejectInvitation) }

  // MARK: What the calls share

  private func ask(_ call: SeatCall) async throws { let _: Empty = try await session.change(.seats(call)) }

  private func publish(_ tracks: [any LocalTrack], on seat: SeatResult) async throws -> Int {
    do {
      try await session.publish(tracks)
    } catch {
      try? await leave()
      throw error
    }
    return seat.index
  }
}
