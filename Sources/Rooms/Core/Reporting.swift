import RoomRelay
import RoomProtocol
import RoomState

// Webhook events for the app's own server.

extension RoomCore {
  mutating func reportUnpublished(_ tracks: [TrackInfo], of participant: Participant) {
    for track in tracks {
      let data = WebhookEventData.Unpublished(
        userId: participant.user, joinedAt: participant.info.joinedAt, trackId: track.trackId, track: track)
      emit(.report(.trackUnpublished, data))
    }
  }

  /// Reports the end of the participant's tracks, and that it left.
  mutating func reportLeaving(_ participant: Participant, _ ended: EndedData) {
    guard !participant.isVirtual else { return }
    reportUnpublished(participant.tracks.map(\.info), of: participant)
    let data = WebhookEventData.Left(
      userId: participant.user, reason: ended.reason, by: ended.by, participant: participant.info)
    emit(.report(.participantLeft, data))
  }

  /// Reports that all participants leave, all jobs end and the room closes. A stored room continues when its server restarts.
  mutating func reportClosing(_ ended: EndedData) {
    guard ended.reason != .serverStopping || !settings.isStored else { return }
    for user in roster.order { if let participant = roster[user] { reportLeaving(participant, ended) } }
    for job in jobList { emit(.report(.jobEnded, JobEndedData(jobId: job.jobId, reason: .roomClosed))) }
    emit(.report(.roomClosed, WebhookEventData.Closed(reason: ended.reason, by: ended.by)))
  }

  /// Reports seats and PK; messages and attributes concern only the app.
  mutating func report(_ change: RoomChange) {
    guard let name = WebhookEvent.Name(rawValue: change.name) else { return }
    emit(.report(name, change.data))
  }

  mutating func report(_ event: BroadcastEvent, of job: JobInfo) {
    switch event {
    case .onAir: emit(.report(.jobOnAir, job))
    case .state(.connected, _): emit(.report(.jobConnected, job))
    case .state(.autoReconnecting, _): emit(.report(.jobReconnecting, job))
    case .state(.error, _): emit(.report(.jobFailed, job))
    case .continued, .state, .ended, .over: break
    }
  }
}
