import Foundation
import RoomLiveOrigin
import RoomProtocol

/// An event of the history with the facts that sessions and lives are derived from.
struct HistoryEntry: Sendable {
  var event: HistoryEvent
  /// The users that a restored room waits for.
  var users: [String] = []
  /// The application and stream of a started job or an encoder, and the job's destination without its keys.
  var stream: String?
  var target: String?
  /// The address of an encoder that publishes without a room.
  var address: String?
  /// Milliseconds since 1970: the start of a job, which may have been before a restart.
  var startedAt: Int64?

  init(_ event: HistoryEvent) { self.event = event }

  /// A stream that an encoder publishes without a room.
  /// - Parameter address: the encoder's address.
  init(_ kind: HistoryEvent.Kind, _ path: StreamPath, address: String? = nil) {
    event = HistoryEvent(kind, detail: [path.name, address].compactMap(\.self).joined(separator: ", "))
    stream = path.name
    self.address = address
  }

  /// Returns nil if the history does not keep events of this name, or for the room's own mix.
  init?(_ source: WebhookEvent, _ encoder: JSONEncoder, _ decoder: JSONDecoder) {
    guard let kind = HistoryEvent.Kind(rawValue: source.name.rawValue),
      let facts = try? decoder.decode(Facts.self, from: encoder.encode(source.data)),
      facts.jobId != JobID.stage.rawValue
    else { return nil }
    event = HistoryEvent(
      kind, time: source.time, room: source.room.rawValue, user: facts.userId,
      reason: facts.reason ?? facts.failure?.cause, detail: facts.failure?.message)
    event.by = facts.by
    event.job = facts.jobId ?? facts.job
    switch kind {
    case .pkBegan: event.detail = facts.room
    case .pkEnded: event.detail = facts.score.flatMap { score in facts.peerScore.map { "\(score) : \($0)" } }
    case .recordingReady, .recordingFailed, .recordingDeleted: event.detail = facts.name
    case .jobStarted, .jobOnAir, .jobConnected:
      event.detail = facts.target
      event.user = facts.by
    case .jobReconnecting, .jobFailed, .jobEnded: event.user = facts.by
    default: break
    }
    users = facts.userIds ?? []
    // A file has no audience.
    if facts.target?.hasPrefix("file:") != true { (stream, target) = (facts.stream, facts.target) }
    startedAt = facts.startedAt
  }

  /// The members of events that the history may keep: none of them contains a secret.
  private struct Facts: Decodable {
    struct Failure: Decodable {
      var cause: String?
      var message: String
    }

    var userId: String?
    var userIds: [String]?
    var by: String?
    var reason: String?
    var jobId: String?
    var job: String?
    var stream: String?
    var target: String?
    var startedAt: Int64?
    var name: String?
    var room: String?
    var score: Int64?
    var peerScore: Int64?
    var failure: Failure?
  }
}
