import Foundation
import Relay
import RoomProtocol
import RoomState

// What a room tells the app's own server.

extension Room {
  nonisolated func report(_ name: RoomEvent.Name, _ data: some Encodable & Sendable) {
    surroundings.events.tell(
      RoomEvent(room: self.name, session: session, name: name, time: Self.milliseconds, data: data))
  }

  func reportTracks(_ tracks: [TrackInfo], of participant: Participant) {
    guard !participant.isOurs else { return }
    for track in tracks {
      report(.trackPublished, RoomEventData.Published(userId: participant.userId, track: track))
    }
  }

  func reportNoTracks(_ trackIds: [TrackID], of participant: Participant) {
    guard !participant.isOurs else { return }
    for id in trackIds {
      report(.trackUnpublished, RoomEventData.Unpublished(userId: participant.userId, trackId: id))
    }
  }

  /// Who leaves takes its tracks along.
  func reportLeaving(_ participant: Participant, _ ended: EndedData) {
    guard !participant.isOurs else { return }
    reportNoTracks(participant.tracks.map(\.info.trackId), of: participant)
    report(.participantLeft, RoomEventData.Left(userId: participant.userId, reason: ended.reason, by: ended.by))
  }

  /// Everybody leaves, every job ends, the room is no more. A room that is stored goes on when its server is started again.
  func reportClosing(_ ended: EndedData) {
    guard ended.reason != .serverStopping || surroundings.store == nil else { return }
    for participant in participants.values.sorted(by: { $0.joinedAt < $1.joinedAt }) { reportLeaving(participant, ended) }
    for job in jobList { report(.jobEnded, JobEndedData(jobId: job.jobId, reason: .roomClosed)) }
    report(.roomClosed, RoomEventData.Closed(reason: ended.reason, by: ended.by))
  }

  /// Seats and PK; messages and attributes are the app's own affair.
  func report(_ change: RoomChange) {
    guard let name = RoomEvent.Name(rawValue: change.name) else { return }
    report(name, change.data)
  }

  func report(_ event: BroadcastEvent, of job: JobInfo) {
    switch event {
    case .onAir: report(.jobOnAir, job)
    case .state(.connected, _): report(.jobConnected, job)
    case .state(.autoReconnecting, _): report(.jobReconnecting, job)
    case .state(.error, _): report(.jobFailed, job)
    case .state, .ended, .over: break
    }
  }

  /// Tells the end of a recording that this room began, also when the room is no more.
  nonisolated var recordingListener: BroadcastDirectory.RecordingListener {
    { [name, session, events = surroundings.events] recording, summary in
      let failure = summary.failure.map { JobFailure(cause: $0.name, message: $0.description) }
      events.tell(
        RoomEvent(
          room: name, session: session, name: .recordingFinished, time: Room.milliseconds,
          data: RoomEventData.Recording(
            name: "\(recording)", files: summary.files, bytes: summary.bytes, droppedPictures: summary.droppedPictures,
            failure: failure)))
    }
  }
}
