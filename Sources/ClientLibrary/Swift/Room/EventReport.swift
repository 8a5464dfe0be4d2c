import RoomCClient
import RoomClient

/// An event of a room in the form in which the app receives it.
struct EventReport: Sendable {
  var type: rc_event_type = RC_EVENT_OTHER
  var name: String
  var json: String
  var track: RemoteTrack?
  var levels: [AudioLevel] = []

  /// Returns nil for an event that cannot be encoded.
  init?(_ event: RoomEvent) {
    let (name, data) = Self.content(event)
    guard let json = try? encoded(data) else { return nil }
    self.name = name
    self.json = json
    switch event {
    case .stateChanged: type = RC_EVENT_STATE_CHANGED
    case .trackSubscribed(let track): (type, self.track) = (RC_EVENT_TRACK_SUBSCRIBED, track)
    case .trackUnsubscribed(let track): (type, self.track) = (RC_EVENT_TRACK_UNSUBSCRIBED, track)
    case .firstFrame(let track): (type, self.track) = (RC_EVENT_FIRST_FRAME, track)
    case .firstVideoFrameDecoded(let track): (type, self.track) = (RC_EVENT_FIRST_PICTURE, track)
    case .audioLevels(let levels): (type, self.levels) = (RC_EVENT_AUDIO_LEVELS, levels)
    case .statistics: type = RC_EVENT_STATISTICS
    default: break
    }
  }

  private static func content(_ event: RoomEvent) -> (name: String, data: any Encodable) {
    switch event {
    case .stateChanged(let state): ("stateChanged", StateReport(state))
    case .joined(let participant): ("joined", participant)
    case .left(let userId, let reason): ("left", LeftData(userId: userId, reason: reason))
    case .connectionChanged(let userId, let connected):
      ("connectionChanged", ConnectionData(userId: userId, connected: connected))
    case .permissionsChanged(let userId, let permissions):
      ("permissionsChanged", PermissionsData(userId: userId, permissions: permissions))
    case .published(let userId, let tracks): ("published", PublishedData(userId: userId, tracks: tracks))
    case .unpublished(let userId, let ids): ("unpublished", UnpublishedData(userId: userId, trackIds: ids))
    case .trackSubscribed(let track): ("trackSubscribed", RemoteReport(track))
    case .trackUnsubscribed(let track): ("trackUnsubscribed", RemoteReport(track))
    case .subscribeFailed(let ids, let error): ("subscribeFailed", SubscribeFailedData(trackIds: ids, error: error))
    case .firstFrame(let track): ("firstFrame", RemoteReport(track))
    case .firstVideoFrameDecoded(let track): ("firstPicture", RemoteReport(track))
    case .muteChanged(let userId, let trackId, let muted, let by):
      ("muteChanged", MuteData(userId: userId, trackId: trackId, muted: muted, by: by))
    case .streamsChanged(let streams): ("streams", StreamsData(streams: streams))
    case .networkQualityChanged(let users): ("networkQuality", NetworkQualityData(users: users))
    case .audioLevels(let levels): ("audioLevels", AudioLevelsData(levels: levels))
    case .activeSpeakers(let userIds): ("activeSpeakers", ActiveSpeakersData(userIds: userIds))
    case .jobChanged(let job): ("jobChanged", job)
    case .jobStatus(let status): ("jobStatus", status)
    case .stageChanged(let style): ("stageChanged", style)
    case .jobEnded(let id, let reason, let failure): ("jobEnded", JobEndedData(jobId: id, reason: reason, failure: failure))
    case .playerChanged(let player): ("playerChanged", player)
    case .playerEnded(let data): ("playerEnded", data)
    case .kicked(let userId, let by): ("kicked", KickedData(userId: userId, by: by))
    case .kickedOut(let by): ("kickedOut", ["by": by])
    case .seatChanged(let data): ("seatChanged", data)
    case .layoutChanged(let data): ("layoutChanged", data)
    case .seatRequested(let request): ("seatRequested", request)
    case .seatRequestEnded(let data): ("seatRequestEnded", data)
    case .seatInvited(let invitation): ("seatInvited", invitation)
    case .seatInvitationEnded(let data): ("seatInvitationEnded", data)
    case .message(let message): ("message", message)
    case .attributesChanged(let data): ("attributesChanged", data)
    case .pkInvited(let invitation): ("pkInvited", invitation)
    case .pkInvitationEnded(let data): ("pkInvitationEnded", data)
    case .pkMatching(let ticket): ("pkMatching", ticket)
    case .pkMatchEnded(let data): ("pkMatchEnded", data)
    case .pkBegan(let pk): ("pkBegan", pk)
    case .pkToken(let data): ("pkToken", data)
    case .pkOnAir(let data): ("pkOnAir", data)
    case .pkChanged(let pk): ("pkChanged", pk)
    case .pkEnded(let data): ("pkEnded", data)
    case .refreshed(let snapshot): ("refreshed", snapshot)
    case .statistics(let statistics): ("statistics", StatisticsReport(statistics))
    case .mediaConnectionChanged(let direction, let connected):
      ("mediaConnectionChanged", MediaConnectionReport(direction: direction.rawValue, connected: connected))
    }
  }
}
