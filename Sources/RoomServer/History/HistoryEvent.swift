import RoomProtocol

/// A line of the history: what happened, when and where.
struct HistoryEvent: Encodable, Sendable, Hashable {
  /// The kinds of events in the history; those of rooms have the names of webhook events.
  enum Kind: String, Encodable, Sendable, CaseIterable {
    case serverStarted, serverStopped
    case drainStarted, drainCancelled, drainEnded
    case joinRefused
    case alarmRaised, alarmCleared
    case roomCreated, roomRestored, roomClosed
    case participantJoined, participantLeft, participantKicked
    case jobStarted, jobOnAir, jobConnected, jobReconnecting, jobFailed, jobEnded
    case streamStarted, streamEnded
    case pkBegan, pkEnded
    case recordingReady, recordingFailed, recordingDeleted
  }

  /// Grows from event to event.
  var id: Int64 = 0
  /// Milliseconds since 1970.
  var time: Int64
  var kind: Kind
  var room: String?
  var user: String?
  /// The user that caused it; empty for the API.
  var by: String?
  var job: String?
  /// The reason of an end, the cause of a failure, the name of an error code, or the kind of an alarm.
  var reason: String?
  /// A short text, such as a file's name or the message of a failure or an alarm.
  var detail: String?

  init(
    _ kind: Kind, time: Int64 = WebhookEvent.now(), room: String? = nil, user: String? = nil, reason: String? = nil,
    detail: String? = nil
  ) {
    self.kind = kind
    self.time = time
    self.room = room
    self.user = user
    self.reason = reason
    self.detail = detail.map { String($0.prefix(Self.longestDetail)) }
  }

  /// Characters.
  static let longestDetail = 200
}
