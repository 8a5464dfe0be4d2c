import LiveOrigin
import RoomProtocol

/// The authority behind a job, which decides the broadcasts that it may begin and take over.
///
/// Stream names of this server's origin are no secrets, so knowing a URL is not enough. A room token opens the broadcasts of one room:
/// those that the room's jobs began, and the origin's streams of the room's name. An API token opens all of them.
struct BroadcastClaim: Sendable {
  /// The room that the job's broadcast belongs to. Nil for a guest whose PK is over, to whom none belongs.
  let room: RoomName?
  /// Whether no rule applies: an API token, or a URL that the room's settings name.
  let isTrusted: Bool

  /// The claim of an API token, and of the server itself, for a room.
  static func trusted(_ room: RoomName) -> Self { Self(room: room, isTrusted: true) }

  /// The claim of a room token.
  static func token(of room: RoomName?) -> Self { Self(room: room, isTrusted: false) }

  /// - Parameters:
  ///   - stream: where the broadcast goes at this server's origin; nil if it goes elsewhere.
  ///   - owners: the rooms of the broadcast that is on at this URL; nil if there is none.
  /// - Throws: 10003 where the job may not begin or take over the broadcast.
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
        "publishUrl: a room token publishes to this server under its room's name alone, as in rtmp://origin/live/ROOM; "
          + "an API token can use other names")
    }
  }
}
