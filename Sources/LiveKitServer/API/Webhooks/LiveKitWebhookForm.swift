import Foundation
import RoomEngine
import RoomLinux
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken
import RoomWebhooks

/// The form of LiveKit's webhooks: a `WebhookEvent` as JSON, and a token of the signing API key with the SHA-256 of the body.
///
/// Events that LiveKit does not have, such as those of seats and PK, are not sent.
struct LiveKitWebhookForm: WebhookForm {
  /// How long an event waits for the record of its egress to include it; milliseconds.
  static let patience: Int64 = 30_000

  /// The record of an egress does not include the event yet.
  struct NotRecorded: Error {}

  let keys: TokenKeys
  let egresses: Egresses
  let streamKeys: StreamKeys
  /// The open rooms of this node.
  let rooms: Guarded<[RoomName: RoomSummary]>

  func requests(for event: [UInt8]) async throws -> [WebhookRequest] {
    guard let key = keys.keys.first, let event = try StoredWebhookEvent(Data(event)) else { return [] }
    let room = room(of: event)
    var requests: [WebhookRequest] = []
    for var message in try await messages(for: event) {
      message.id = requests.isEmpty ? event.id : "\(event.id)_\(requests.count)"
      message.createdAt = event.time / 1000
      message.room = room
      let body = message.json(.webhook)
      requests.append(
        WebhookRequest(
          body, contentType: "application/webhook+json", proof: "Authorization",
          try keys.liveKitAuthorization(of: body, key: key)))
    }
    return requests
  }

  private func room(of event: StoredWebhookEvent) -> LiveKit.Room {
    let summary = rooms.withLock { $0[event.room] }
    if let summary, summary.createdAt == event.roomCreatedAt { return LiveKit.Room(summary) }
    return LiveKit.Room {
      $0.name = event.room.foreignName
      guard let createdAt = event.roomCreatedAt else { return }
      $0.sid = LiveKitID.room(event.room, createdAt: createdAt)
      ($0.creationTime, $0.creationTimeMilliseconds) = (createdAt / 1000, createdAt)
    }
  }

  // MARK: Messages

  /// Returns what is sent of an event, in order, without the members that all messages have.
  private func messages(for event: StoredWebhookEvent) async throws -> [LiveKit.WebhookEvent] {
    switch event.name {
    case .roomCreated: return [.init { $0.event = "room_started" }]
    case .roomClosed:
      let reason = try event.data(Closed.self).reason
      return [
        .init {
          $0.event = "room_finished"
          $0.roomEndReason = reason == .serverStopping ? .serverShutdown : .apiDelete
        }
      ]
    case .participantJoined:
      let info = try event.data(ParticipantInfo.self)
      let joined = LiveKit.WebhookEvent {
        $0.event = "participant_joined"
        $0.participant = LiveKit.ParticipantInfo(info, in: event.room)
      }
      return [joined] + (try await ingress("ingress_started", .publishing, of: info, event))
    case .participantLeft:
      let left = try event.data(Left.self)
      let message = LiveKit.WebhookEvent {
        $0.event = "participant_left"
        $0.participant = LiveKit.ParticipantInfo(left, in: event.room)
      }
      guard let info = left.participant else { return [message] }
      return [message] + (try await ingress("ingress_ended", .complete, of: info, event))
    case .trackPublished, .trackUnpublished:
      let published = try event.data(Published.self)
      return [
        .init {
          $0.event = event.name == .trackPublished ? "track_published" : "track_unpublished"
          $0.participant = .init {
            $0.identity = published.userId.foreignName
            $0.sid = LiveKitID.participant(published.userId, joinedAt: published.joinedAt, in: event.room)
          }
          $0.track = LiveKit.TrackInfo(published.track)
        }
      ]
    case .jobStarted, .jobOnAir, .jobConnected, .jobReconnecting, .jobFailed, .jobEnded:
      return try await egress(try event.data(Job.self).jobId, event)
    case .recordingReady, .recordingFailed:
      guard let job = try event.data(Recording.self).job else { return [] }
      return try await egress(job, event)
    default: return []
    }
  }

  private func egress(_ job: JobID, _ event: StoredWebhookEvent) async throws -> [LiveKit.WebhookEvent] {
    guard let id = EgressRecord.id(of: job), let record = try await egresses.record(id) else { return [] }
    let isRecorded = record.updatedAt >= event.time && (event.name != .jobEnded || egresses.listsAllFiles(record))
    guard isRecorded || WebhookEvent.now() - event.time > Self.patience else { throw NotRecorded() }
    let report = EgressReport(
      event.name, of: job, at: event.time, in: record, isWriting: egresses.isWriting(record))
    guard let report else { return [] }
    func message(_ report: EgressReport, _ info: LiveKit.EgressInfo) -> LiveKit.WebhookEvent {
      .init { ($0.event, $0.egressInfo) = (report.rawValue, info) }
    }
    if report == .ended {
      // With the files that were reported meanwhile.
      return try await egresses.reportEnd(of: id, by: event.id).map { [message(.ended, $0.info)] } ?? []
    }
    guard report == .started else { return [message(report, record.info)] }
    var starting = record.info
    starting.status = .starting
    // A job that has no connection to wait for is on air from its start.
    return [message(.started, starting)] + (record.startedAt == event.time ? [message(.updated, record.info)] : [])
  }

  /// Returns what is sent of an encoder that publishes by a stream key.
  private func ingress(
    _ name: String, _ status: LiveKit.IngressStatus, of info: ParticipantInfo, _ event: StoredWebhookEvent
  ) async throws -> [LiveKit.WebhookEvent] {
    guard info.isIngested, let key = try await streamKeys.key(of: info.userId, in: event.room) else { return [] }
    let state = LiveKit.IngressState {
      $0.status = status
      $0.roomID = event.roomCreatedAt.map { LiveKitID.room(event.room, createdAt: $0) } ?? ""
      $0.startedAt = info.joinedAt.multipliedReportingOverflow(by: 1_000_000).partialValue
      if status == .complete { $0.endedAt = event.time.multipliedReportingOverflow(by: 1_000_000).partialValue }
      $0.tracks = info.tracks.map { LiveKit.TrackInfo($0) }
    }
    let ingress = try LiveKit.IngressInfo(key, state: state)
    return [
      .init {
        $0.event = name
        $0.ingressInfo = ingress
      }
    ]
  }

  // MARK: Data of events

  private struct Closed: Decodable { let reason: EndReason }

  fileprivate struct Left: Decodable {
    let userId: UserID
    let reason: EndReason
    let participant: ParticipantInfo?
  }

  private struct Published: Decodable {
    let userId: UserID
    let joinedAt: Int64
    let track: TrackInfo
  }

  private struct Job: Decodable { let jobId: JobID }
  private struct Recording: Decodable { let job: JobID? }
}

extension LiveKit.ParticipantInfo {
  /// Describes a participant to an app's server.
  init(_ info: ParticipantInfo, in room: RoomName) {
    var roster = LiveKitRoster(room: room)
    roster.set(info)
    self = roster.describe(info.userId) ?? LiveKit.ParticipantInfo()
  }

  /// A participant that has left.
  fileprivate init(_ left: LiveKitWebhookForm.Left, in room: RoomName) {
    if let info = left.participant { self.init(info, in: room) } else { self.init() }
    identity = left.userId.foreignName
    state = .disconnected
    disconnectReason = LiveKit.DisconnectReason(left.reason)
  }
}
