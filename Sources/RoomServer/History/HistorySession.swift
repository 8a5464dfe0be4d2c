/// The stay of a user in a room.
struct HistorySession: Encodable, Sendable, Hashable {
  /// Grows from session to session, in the order of joins.
  var id: Int64
  var room: String
  var user: String
  /// Milliseconds since 1970.
  var joinedAt: Int64
  /// Nil while the user is in the room.
  var leftAt: Int64?
  /// Why it ended: a reason of `participantLeft`, `serverStopped` or `serverCrashed`.
  var reason: String?
  /// The user that ended it; empty for the API.
  var by: String?
}

/// A job that sent a program to an audience, or an encoder that published to this server's origin without a room.
struct HistoryLive: Encodable, Sendable, Hashable {
  /// Grows from live to live, in the order of starts.
  var id: Int64
  /// Nil for an encoder's live, which belongs to no room.
  var room: String?
  /// Nil for an encoder's live.
  var job: String?
  /// The application and stream at this server's own origin; nil if the job sent elsewhere.
  var stream: String?
  /// The destination without parts that may contain a key.
  var target: String?
  /// The user that started it; empty for the API, nil for an encoder.
  var user: String?
  /// Milliseconds since 1970.
  var startedAt: Int64
  /// Nil while it runs.
  var endedAt: Int64?
  /// Milliseconds; nil while it runs.
  var duration: Int64? { endedAt.map { max(0, $0 - startedAt) } }
  /// Why it ended: a reason of `jobEnded`, `serverStopped` or `serverCrashed`.
  var reason: String?
  /// The failure's message if it failed; the address of an encoder.
  var detail: String?
  /// The maximum number of simultaneous viewers at this server's origin; nil if the job sent elsewhere.
  var peakViewers: Int?

  private enum CodingKeys: CodingKey {
    case id, room, job, stream, target, user, startedAt, endedAt, duration, reason, detail, peakViewers
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encodeIfPresent(room, forKey: .room)
    try container.encodeIfPresent(job, forKey: .job)
    try container.encodeIfPresent(stream, forKey: .stream)
    try container.encodeIfPresent(target, forKey: .target)
    try container.encodeIfPresent(user, forKey: .user)
    try container.encode(startedAt, forKey: .startedAt)
    try container.encodeIfPresent(endedAt, forKey: .endedAt)
    try container.encodeIfPresent(duration, forKey: .duration)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(detail, forKey: .detail)
    try container.encodeIfPresent(peakViewers, forKey: .peakViewers)
  }
}
