import RoomProtocol

/// What happens in a room, in the order in which it happened.
public enum RoomEvent: Sendable {
  case stateChanged(RoomState)
  case joined(ParticipantInfo)
  case left(userId: UserID, reason: EndReason)
  /// Another participant's connection was lost (false), or came back within the grace time.
  case connectionChanged(userId: UserID, connected: Bool)
  case published(userId: UserID, tracks: [TrackInfo])
  /// Also of this client itself, where the server withdrew its tracks because it lost its seat: they may be published again.
  case unpublished(userId: UserID, trackIds: [TrackID])
  /// A track is being received; its frames are at `RemoteTrack.frames`.
  case trackSubscribed(RemoteTrack)
  /// The track ended, was unsubscribed from, or its publisher left.
  case trackUnsubscribed(RemoteTrack)
  /// Tracks that were asked for and can't be had.
  case subscribeFailed(trackIds: [TrackID], error: RoomError)
  /// The first whole frame of a track arrived.
  case firstFrame(RemoteTrack)
  /// The first picture of a video track was decoded, and can be shown: `VideoPlayback` reports it, or an app's own decoder by
  /// ``RemoteTrack/reportDecoded()``. Once for each track.
  case firstVideoFrameDecoded(RemoteTrack)
  /// `by` is the user that did it, and empty for the API.
  case muteChanged(userId: UserID, trackId: TrackID, muted: Bool, by: UserID)
  case audioLevels([AudioLevel])
  /// Loudest first.
  case activeSpeakers([UserID])
  /// A relay job of the room began, or its state changed.
  case jobChanged(JobInfo)
  /// How a relay job goes; with the `relay` or the `admin` grant.
  case jobStatus(JobStatusData)
  /// A relay job of the room is over.
  case jobEnded(jobId: JobID, reason: JobEndReason, failure: JobFailure?)
  /// Another participant was kicked.
  case kicked(userId: UserID, by: UserID)
  /// This client was kicked; `by` is the operator, and empty for the API. `stateChanged(.closed(…))` follows.
  case kickedOut(by: UserID)
  /// Somebody came to a seat or left it, or a switch of it was set; `room.seats.all` has it.
  case seatChanged(SeatChangedData)
  /// Other seats, or other places for them; `off` names those who lost theirs.
  case layoutChanged(LayoutChangedData)
  /// A user asks for a seat.
  case seatRequested(SeatRequest)
  case seatRequestEnded(SeatEndedData)
  /// A user is asked to take a seat.
  case seatInvited(SeatInvitation)
  case seatInvitationEnded(SeatEndedData)
  /// A message to all, or to this client, or its own.
  case message(RoomMessage)
  /// Attributes of the room were set or removed; `room.attributes.all` has them.
  case attributesChanged(AttributesChangedData)
  /// This room invited another to a PK, or was invited; with the `admin` grant.
  case pkInvited(PKInvitation)
  case pkInvitationEnded(PKInvitationEndedData)
  /// A PK is on. With `way` `move` the anchor of the inviting room calls ``RoomPK/move(_:)`` now.
  case pkBegan(PKInfo)
  /// The way into the other room, for the anchor that is to move: ``RoomPK/move(_:)`` takes it.
  case pkToken(PKTokenData)
  /// The viewers of a relay job see the PK's split screen from now on, or hear both anchors if the job has no pictures. Sent once for each
  /// forward job of the room's anchor. An anchor that moved has a merge job instead, which `jobChanged` reports.
  case pkOnAir(PKOnAirData)
  /// A score, a mute, or which anchor is there.
  case pkChanged(PKInfo)
  /// A PK is over. Who had moved for it calls ``RoomPK/returnHome(token:)`` now.
  case pkEnded(PKEndedData)
  /// The connection is back after so long that changes of seats, attributes and PK can't be told one by one any more: this is how
  /// the room is now. Messages that were missed have been told before, as far as the room keeps them.
  case refreshed(RoomSnapshot)
  case statistics(RoomStatistics)
  /// Media of one direction came up, was lost (it is being repaired), or came back.
  case mediaConnectionChanged(TransportKind, connected: Bool)
}
