import RoomProtocol

/// An event of a room. ``Room/events()`` delivers all of them, in the order in which they happened.
///
/// An app that needs the events of one part only has a smaller enum: ``SeatEvent``, ``PKEvent``, ``AttributeEvent`` or
/// ``JobEvent``.
///
/// New versions of the library may add cases, so a `switch` should have a `default`. Events of a newer server that this
/// version does not know are not delivered.
public enum RoomEvent: Sendable {
  /// The connection's state changed.
  case stateChanged(RoomState)
  /// A participant joined.
  case joined(ParticipantInfo)
  /// A participant left.
  case left(userId: UserID, reason: EndReason)
  /// Another participant's connection was lost (false), or returned within the grace time (true).
  case connectionChanged(userId: UserID, connected: Bool)
  /// The app's server changed what a participant may do, this client included; see ``Room/me``.
  case permissionsChanged(userId: UserID, permissions: Permissions)
  /// A participant published tracks.
  case published(userId: UserID, tracks: [TrackInfo])
  /// A participant unpublished tracks.
  ///
  /// With this client's own `userId`: the server unpublished its tracks because it lost its seat or the permission. The tracks
  /// may be published again once it has either.
  case unpublished(userId: UserID, trackIds: [TrackID])
  /// This client receives a track; see ``RemoteTrack/frames``.
  case trackSubscribed(RemoteTrack)
  /// A track is no longer received: it ended, was unsubscribed, or its publisher left.
  case trackUnsubscribed(RemoteTrack)
  /// Tracks that were requested but cannot be received.
  case subscribeFailed(trackIds: [TrackID], error: RoomError)
  /// The first complete frame of a track arrived.
  case firstFrame(RemoteTrack)
  /// The first picture of a video track was decoded and can be shown. Sent once for each track.
  ///
  /// `VideoPlayback` reports it; an app with its own decoder calls ``RemoteTrack/reportDecoded()``.
  case firstVideoFrameDecoded(RemoteTrack)
  /// A track was muted or unmuted; `by` is the user who did it, and empty for a REST API call.
  case muteChanged(userId: UserID, trackId: TrackID, muted: Bool, by: UserID)
  /// The server pauses or resumes tracks that this client receives, or changed the size of their pictures, because of what the
  /// connection carries. An app can show the last picture or an avatar while a track is paused.
  case streamsChanged([StreamInfo])
  /// The quality of participants' connections changed, this client's included. A participant that was never named has
  /// `NetworkQuality.good` in both directions.
  case networkQualityChanged([UserQuality])
  /// The audio levels of the speakers, five times a second; see ``RoomOptions/audioLevels``.
  case audioLevels([AudioLevel])
  /// The users who are speaking, the loudest first; see ``RoomOptions/audioLevels``.
  case activeSpeakers([UserID])
  /// A relay job of the room started, or its state changed.
  case jobChanged(JobInfo)
  /// The status of a relay job, every 3 s; only with the `relay` or the `admin` grant.
  case jobStatus(JobStatusData)
  /// The style of the room's composition changed; see ``RoomStage/style``.
  case stageChanged(StagePicture)
  /// A relay job of the room ended.
  case jobEnded(jobId: JobID, reason: JobEndReason, failure: JobFailure?)
  /// A player started, or its state, position, volume or length changed; see ``RoomPlayers/all``.
  case playerChanged(PlayerInfo)
  /// A player ended.
  case playerEnded(PlayerEndedData)
  /// Another participant was kicked.
  case kicked(userId: UserID, by: UserID)
  /// This client was kicked; `by` is the admin, and empty for a REST API call. `stateChanged(.closed(…))` follows.
  case kickedOut(by: UserID)
  /// A user took or left a seat, or one of its switches was set; see ``RoomSeats/all``.
  case seatChanged(SeatChangedData)
  /// The layout changed; `off` names the users who lost their seats.
  case layoutChanged(LayoutChangedData)
  /// A user requests a seat.
  case seatRequested(SeatRequest)
  /// A seat request was answered, cancelled or timed out.
  case seatRequestEnded(SeatEndedData)
  /// A user was invited to a seat.
  case seatInvited(SeatInvitation)
  /// A seat invitation was answered, cancelled or timed out.
  case seatInvitationEnded(SeatEndedData)
  /// A message to all or to this client, or this client's own message.
  case message(RoomMessage)
  /// Attributes of the room were set or removed; see ``RoomAttributes/all``.
  case attributesChanged(AttributesChangedData)
  /// This room invited another room to a PK, or was invited; only with the `admin` grant. The room that `from` names invited,
  /// by the user `by`.
  case pkInvited(PKInvitation)
  /// A PK invitation was answered, cancelled or timed out; only with the `admin` grant.
  case pkInvitationEnded(PKInvitationEndedData)
  /// This room looks for an opponent; only with the `admin` grant.
  case pkMatching(PKTicket)
  /// The search for an opponent ended; only with the `admin` grant. ``pkBegan(_:)`` follows if there is one.
  case pkMatchEnded(PKMatchEndedData)
  /// A PK began. With `PKMode.move` the anchor of the inviting room now calls ``RoomPK/move(_:)``.
  case pkBegan(PKInfo)
  /// The token for the other room, for the anchor that must move. ``RoomPK/move(_:)`` uses it.
  case pkToken(PKTokenData)
  /// The viewers of a relay job now see the PK's split screen, or hear both anchors if the job has no video.
  ///
  /// Sent once for each forward job of the room's anchor. An anchor that moved has a merge job instead, which `jobChanged`
  /// reports.
  case pkOnAir(PKOnAirData)
  /// The score, a mute or the connection of an anchor changed.
  case pkChanged(PKInfo)
  /// A PK ended. An anchor that had moved now calls ``RoomPK/returnHome(token:)``.
  case pkEnded(PKEndedData)
  /// The connection returned after so long that the server no longer has each change of seats, attributes and PK. This is the
  /// current state.
  ///
  /// The missed messages came before, as far as the room keeps them.
  case refreshed(RoomSnapshot)
  /// The statistics of the last interval; see ``RoomOptions/statisticsInterval``.
  case statistics(RoomStatistics)
  /// The media transport of one direction connected, or was lost; the client repairs a lost one by itself.
  case mediaConnectionChanged(TransportKind, connected: Bool)
}
