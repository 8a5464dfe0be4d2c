import Foundation
import Relay
import RoomProtocol
import RoomToken
import SFU

/// One user in a room, between its first join and its leaving. Belongs to its `Room`, which alone touches it.
final class Participant {
  let userId: UserID
  let grants: Grants
  /// Milliseconds since 1970.
  let joinedAt: Int64
  /// Secret; who knows it may take the session up again.
  let sessionId: SessionID
  /// The token of the last join or resume.
  var token: RoomToken
  /// Nil while the socket is lost; where there never is one, while the media is.
  var outlet: (any SignalOutlet)?
  var wantsLevels: Bool
  /// Whether it counts against the room's limit. A WHIP session does when its media connects for the first time.
  var takesPlace = true
  var plan: SubscriptionPlan
  var publishing: PublishTransport?
  /// In the order of publication.
  var tracks: [PublishedTrack] = []
  var subscribing: SubscribeTransport?
  /// A subscribe transport was there before: the next one replaces it.
  var hadSubscribeTransport = false
  /// The number of the last offer.
  var offers = 0
  /// Ends the session when the grace time is over.
  var grace: Task<Void, Never>?
  /// Of a participant that came by WHIP, and has no socket.
  var resource: SessionResource?
  /// Of a participant that came by RTMP, and has no socket.
  var ingest: IngestSession?
  /// Of a participant that is one of the room's mixes.
  var mixed: MixedParticipant?
  /// Tracks that its seat's switches muted.
  var mutedBySeat: Set<TrackID> = []
  /// Of a participant that is another room's anchor.
  var bridged: BridgedGuest?
  /// What jobs put its tracks in time with each other by.
  let clock = SharedClock()
  /// The pace of its calls that send an event to the whole room; nil before the first.
  var changes: TokenBucket?

  init(token: RoomToken, outlet: (any SignalOutlet)?, plan: SubscriptionPlan, wantsLevels: Bool = false) {
    self.token = token
    userId = token.user
    grants = token.grants
    joinedAt = Int64(Date().timeIntervalSince1970 * 1000)
    // 122 bits from the system's generator.
    sessionId = SessionID(UUID().uuidString)
    self.outlet = outlet
    self.plan = plan
    self.wantsLevels = wantsLevels
  }

  /// A mix or another room's anchor: nobody who came in.
  var isOurs: Bool { mixed != nil || bridged != nil }

  var isHidden: Bool { grants.contains(.hidden) }

  var info: ParticipantInfo {
    ParticipantInfo(
      userId: userId, grants: grants, joinedAt: joinedAt, connected: outlet != nil, tracks: tracks.map(\.info))
  }

  func track(_ trackId: TrackID) -> PublishedTrack? { tracks.first { $0.info.trackId == trackId } }
}
