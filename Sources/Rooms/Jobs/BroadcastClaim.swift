import RoomLiveOrigin
import RoomProtocol

/// The authority behind a job, which decides the broadcasts that it may start and take over.
///
/// Stream names of this server's origin are not secret, so knowing a URL is not enough. A room token gives access to the
/// broadcasts of one room: those that the room's jobs started, and the origin's streams with the room's name. An API token
/// gives access to all of them.
struct BroadcastClaim: Sendable {
  /// The room that the job's broadcast belongs to. Nil for a guest whose PK is over: it has access to none.
  let room: RoomName?
  /// Whether every broadcast is allowed: for an API token, or a URL in the room's settings.
  let isTrusted: Bool

  /// Returns the claim of an API token, and of the server itself, for a room.
  static func trusted(_ room: RoomName) -> Self { Self(room: room, isTrusted: true) }

  /// Returns the claim of a room token.
  static func token(of room: RoomName?) -> Self { Self(room: room, isTrusted: false) }

  /// Checks that the job may start or take over a broadcast.
  /// - Parameters:
  ///   - stream: the broadcast's path at this server's origin; nil if its target is elsewhere.
  ///   - owners: the rooms of the running broadcast at this URL; nil if there is none.
  /// - Throws: 10003 if it may not.
  func check(_ stream: StreamPath?, owners: Set<RoomName>?) throws(RoomError) {
    if isTrusted { return }
    if let room, owners?.contains(room) == true { return }
    guard let stream else {
      guard owners == nil else {
        throw RoomError(
          .noPermission, "publishUrl: another room broadcasts to this URL; a token of that room or an API token can take over")
      }
      return
    }
    guard room?.rawValue == stream.stream, StreamVariant(stream.stream) == nil else {
      throw RoomError(
        .noPermission,
        "publishUrl: a room token publishes to this server only under its room's name, as in rtmp://origin/live/ROOM; "
          + "an API token can use other names")
    }
  }
}
