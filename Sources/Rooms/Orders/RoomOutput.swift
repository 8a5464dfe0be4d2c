import Logging
import RoomCluster
import RoomLiveOrigin
import RoomRelay
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

/// An action for a room's environment. Outputs are performed in order.
enum RoomOutput: Sendable {
  /// The connection now belongs to a participant: it receives the events for everyone.
  case attach(ConnectionID)
  /// The connection is lost; nothing else is sent on it.
  case detach(ConnectionID)
  /// The session on a connection has ended: send the reason, unless the client left, and close.
  case end(ConnectionID, EndedData)
  /// Another connection continues the session: close this one.
  case replace(ConnectionID)
  /// Answers a client's request.
  case answer(ConnectionID, request: Int, Result<any Codable & Sendable, RoomError>)
  /// Answers a client's request for the room's play URLs.
  case answerPlay(ConnectionID, request: Int, StreamVariant.Picture?)
  /// Answers a client's join. The snapshot contains the room's participants, without hidden ones and the client.
  case welcome(ConnectionID, request: Int, JoinResult)
  case send(SignalEvent, to: ConnectionID)
  /// To a client of another protocol.
  case deliver(RoomDelivery, to: ConnectionID)
  case broadcast(SignalEvent, Recipients)
  /// Answers a call of the API that waited for a program.
  case reply(Result<any Codable & Sendable, RoomError>)
  case media(MediaOrder)
  case program(ProgramOrder)
  case player(PlayerOrder)
  case peer(PeerOrder)
  case report(WebhookEvent.Name, any Encodable & Sendable)
  /// The token is no longer valid.
  case kicked(RoomToken)
  case count(RoomCount)
  case log(Logger.Level, String, Logger.Metadata)
  /// The room differs from its stored form.
  case store
  case sendPKToken(RoomToken, PKID, to: ConnectionID)
  /// The room is closed: only the ends of its jobs follow.
  case closed
  /// All jobs of a closed room have ended.
  case finished

  enum Recipients: Sendable {
    case everyone(besides: ConnectionID?)
    case these([ConnectionID])
  }
}

/// A command to the programs: broadcasts, mixes, links between rooms, and the tracks whose packets this server produces.
enum ProgramOrder: Sendable {
  /// Creates a track whose packets this server produces: from a mix, an encoder, or another room.
  case inject(MediaTrackID, RTPParameters, layers: Int)
  /// Allocates a job's broadcast and mix, the mix first; ``RoomCore/began(_:_:)`` receives the result.
  case begin(JobID, BroadcastRequest?, mix: (id: MixID, plan: MixPlan)?)
  /// Starts a job after `begin`.
  case start(JobID, JobProgram)
  /// Sets the tracks of the same program.
  case setTracks(JobID, audio: TrackSourceID?, video: TrackSourceID?)
  /// Switches the broadcast to another program without a gap.
  case `continue`(JobID, JobProgram)
  case stop(JobID)
  /// Sets the tracks that a job records, each into a file of its own.
  case recordTracks(JobID, [RecordedTrack])
  /// Makes a mix; ``RoomCore/made(_:_:)`` receives the result.
  case makeMix(MixID, MixPlan)
  /// Changes a mix; ``RoomCore/arranged(_:_:)`` receives the result.
  case arrange(MixID, MixPlan)
  case setMixTracks(MixID, [MixTrackID], isWaiting: Bool)
  case endMix(MixID)
  /// Lets rooms of this server with the same content send one mix. ``RoomCore/sharingEnded(_:)`` receives the end, unless it is ordered.
  case shareMix(MixID, SharedContent)
  /// Makes a mix the room's own again.
  case separateMix(MixID)
  /// Sends a mix to the tracks.
  case publishMix(MixID, video: MediaTrackID?, audio: MediaTrackID?, audioBitrate: Int)
  case unpublishMix(MixID)
  /// Starts or stops sending the mix without a speaker's own sound to a track.
  case addListener(MixID, SessionID, track: MediaTrackID, audioBitrate: Int)
  case removeListener(MixID, SessionID)
  /// Forwards another room's track to a track of this room.
  case link(MediaTrackID, RTPParameters, LentTrack)
  case unlink(MediaTrackID)
  /// Sends another room all tracks that it currently borrows.
  case lend([LentItem], to: Borrower)
  case endLending(Borrower)
  /// Sends a track in another codec to an injected track. ``RoomCore/renditionFailed(_:_:)`` receives a failure later.
  case makeRendition(MediaTrackID, of: MediaTrackID, TrackRendition.Codec)
  case endRendition(MediaTrackID)
  /// Removes the clock of a participant's session that has ended.
  case forget(SessionID)
  /// Removes tracks that are no longer published.
  case forgetTracks([MediaTrackID])
  /// Ends the renditions and the room's media.
  case closeRoom
  /// Reads the status of all jobs; ``RoomCore/reported(_:)`` receives it later.
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
  /// Enters the queue of those that look for an opponent, or confirms the place in it. The PK's id is for a match.
  case enterMatching(MatchTicket, after: PKID?, PKID)
  case leaveMatching(TicketID)
  /// Requests the anchor's tracks from the room.
  case borrow(UserID, from: RoomName, PKID)
  case endBorrowing(RoomName)
  /// Requests all tracks of a participant from the room.
  case forward(UserID, from: RoomName)
  case endForward(UserID, from: RoomName)
}

/// An event in a room, counted by the metrics.
package enum RoomCount: Sendable, Hashable {
  case limit(Limit)
  case resume, kick, whipSession, whepSession, iceRestart
  /// An encoder's stream was admitted.
  case ingest(EncoderProtocol)
  /// The room can't convert an encoder's stream.
  case ingestFault(EncoderProtocol)
  case transcodedIngest
  /// A track is transcoded for subscribers that can't decode it.
  case rendition
  case error(ErrorCode)
  /// A message over a data channel that was malformed or not permitted.
  case messageRefused
  /// An answer or an event that could not be encoded.
  case unwritable

  /// A limit that was reached.
  package enum Limit: Sendable, Hashable { case participants, sessions, changeRate, tracks, jobs, broadcasts, subscribers }
}
