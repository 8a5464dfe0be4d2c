import Logging
import Relay
import RoomProtocol
import RoomState
import RoomToken
import SFU
import WebRTC

/// What a room wants done. Outputs are carried out in their order.
enum RoomOutput: Sendable {
  /// The connection belongs to a participant from now on: it gets the events for everyone.
  case attach(ConnectionID)
  /// It is lost; nothing else is sent on it.
  case detach(ConnectionID)
  /// The session on a connection is over: send it why, unless the client left, and close.
  case end(ConnectionID, EndedData)
  /// Another connection continues the session: close this one.
  case replace(ConnectionID)
  /// Answers a client's request.
  case answer(ConnectionID, request: Int, Result<any Codable & Sendable, RoomError>)
  /// Answers a client's join. The participants of the snapshot are those of the room, but for hidden ones and the client.
  case welcome(ConnectionID, request: Int, JoinResult)
  case send(SignalEvent, to: ConnectionID)
  case broadcast(SignalEvent, Recipients)
  /// Answers a call of the API that waited for a program.
  case reply(Result<any Codable & Sendable, RoomError>)
  case media(MediaOrder)
  case program(ProgramOrder)
  case peer(PeerOrder)
  case report(WebhookEvent.Name, any Encodable & Sendable)
  /// The token is no longer valid.
  case kicked(RoomToken)
  case count(RoomCount)
  case log(Logger.Level, String, Logger.Metadata)
  /// The room is not as it is stored any more.
  case store
  case sendPKToken(RoomToken, PKID, to: ConnectionID)
  /// The room is closed: nothing comes after this but the ends of its jobs.
  case closed
  /// All jobs of a closed room have ended.
  case finished

  enum Recipients: Sendable {
    case everyone(besides: ConnectionID?)
    case these([ConnectionID])
  }
}

/// A command to the media worker.
enum MediaOrder: Sendable {
  case open(TransportID, ICECredentials, DTLSRole)
  case restart(TransportID, ICECredentials)
  case connect(TransportID, TransportParameters)
  case close(TransportID)
  case publish(MediaTrackID, on: TransportID, RTPParameters)
  /// The track's packets come from this server: a mix, an encoder, another room.
  case inject(MediaTrackID, RTPParameters)
  case unpublish(MediaTrackID)
  case mute(MediaTrackID, Bool)
  case subscribe(SubscriptionID, to: MediaTrackID, on: TransportID, RTPParameters, continues: Bool)
  case unsubscribe(SubscriptionID)
  case closeRoom
}

/// A command to the programs: broadcasts, mixes and links between rooms.
enum ProgramOrder: Sendable {
  /// Takes what a job needs; the room gets ``RoomCore/began(_:_:)``. The mix, if any, is made first.
  case begin(JobID, BroadcastRequest?, mix: (id: MixID, plan: MixPlan)?)
  /// Starts what was begun.
  case start(JobID, JobProgram)
  /// Other tracks of the same program.
  case setTracks(JobID, audio: TrackSourceID?, video: TrackSourceID?)
  /// Another program in the same broadcast, without a gap.
  case `continue`(JobID, JobProgram)
  case stop(JobID)
  /// Makes a mix; the room gets ``RoomCore/made(_:_:)``.
  case makeMix(MixID, MixPlan)
  /// Changes a mix; the room gets ``RoomCore/arranged(_:_:)``.
  case arrange(MixID, MixPlan)
  case setMixTracks(MixID, [MixTrackID], isWaiting: Bool)
  case endMix(MixID)
  /// Sends a mix into the tracks.
  case publishMix(MixID, video: MediaTrackID?, audio: MediaTrackID?, audioBitrate: Int)
  case unpublishMix(MixID)
  /// Sends the mix without a speaker's own sound into a track, or no longer.
  case addListener(MixID, SessionID, track: MediaTrackID, audioBitrate: Int)
  case removeListener(MixID, SessionID)
  /// Carries another room's track into a track of this room.
  case link(MediaTrackID, RTPParameters, LentTrack)
  case unlink(MediaTrackID)
  /// Sends another room all tracks that it borrows now.
  case lend([LentItem], to: RoomName)
  case endLending(RoomName)
  /// A participant's session is over: its clock is not needed any more.
  case forget(SessionID)
  /// Tracks that are published no more.
  case forgetTracks([MediaTrackID])
  /// Asks for the status of all jobs; the room gets ``RoomCore/reported(_:)`` later.
  case reportStatus
}

/// A track that another room borrows.
struct LentItem: Sendable {
  var source: TrackSourceID
  var info: TrackInfo
  var parameters: RTPParameters
}

/// A call to another room.
enum PeerOrder: Sendable {
  case message(PKMessage)
  /// Asks the room for its anchor's tracks.
  case borrow(UserID, from: RoomName, PKID)
  case endBorrowing(RoomName)
}

/// Something that happened in a room, for the metrics.
package enum RoomCount: Sendable, Hashable {
  case limit(Limit)
  case resume, kick, whipSession, whepSession, rtmpSession, rtmpFault, iceRestart
  case error(ErrorCode)
  /// An answer or an event that could not be written.
  case unwritable

  /// A bound that somebody ran into.
  package enum Limit: Sendable, Hashable { case participants, sessions, changeRate, tracks, jobs, broadcasts }
}
