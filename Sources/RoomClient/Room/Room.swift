import RoomProtocol

/// A room that this client has joined: its state, its events, and the calls that change it.
///
/// ```swift
/// let room = try await Room.connect(to: "wss://example.org/v1/signal", token: token)
/// let camera = LocalVideoTrack(codec: .h264, width: 1280, height: 720, fps: 30)
/// try await room.publish([camera])
/// for await event in room.events() { … }
/// ```
///
/// The client reconnects by itself after a lost connection, as ``RoomOptions/reconnect`` says; tracks and subscriptions
/// continue. A call made while the connection is down throws at once and does not wait for it.
///
/// If the server rejects a call, the call throws `RoomError`. If the task is cancelled, it throws `CancellationError` at once,
/// and the server may still carry it out. All other failures are ``RoomClientError``.
///
/// A room that is released without ``leave()`` leaves
/// by itself.
public final class Room: Sendable {
  private let session: RoomSession
  private let store: RoomStateStore
  private let stay: PKStay?

  /// - Parameter stay: the stay for which ``RoomPK/move(_:)`` joined this room; nil for any other room.
  init(session: RoomSession, stay: PKStay? = nil) {
    self.session = session
    self.stay = stay
    store = session.store
  }

  deinit {
    let session = session
    Task { await session.leave() }
  }

  /// Joins the room that the token names.
  ///
  /// If the task is cancelled, the join is abandoned and the call throws `CancellationError`.
  /// - Parameters:
  ///   - url: the signalling address, `ws://host:port/v1/signal` or `wss://…`
  ///   - token: a room token, issued by the app's server.
  ///   - options: how the client takes part in the room.
  /// - Throws: `RoomError` if the server rejects the join: 10002 for an invalid token, 10011 for an unknown room, 80101 if it
  ///   cannot be joined now. ``RoomClientError`` if the server cannot be reached.
  public static func connect(to url: String, token: String, options: RoomOptions = RoomOptions()) async throws -> Room {
    let session = try RoomSession(JoinRequest(url: url, token: token, options: options))
    try await session.connect()
    return Room(session: session)
  }

  /// The state of the connection.
  public var state: RoomState { store.value.state }
  /// The room's name; empty before the first join.
  public var name: RoomName { store.value.room?.name ?? "" }
  /// The current state of the room: layout, seats, requests, attributes, messages, PK and jobs. Nil before the first join.
  public var snapshot: RoomSnapshot? { store.value.room }
  /// Seats, seat requests and the layout.
  public var seats: RoomSeats { RoomSeats(session: session) }
  /// The PK with another room.
  public var pk: RoomPK { RoomPK(session: session, stay: stay) }
  /// Texts, likes, gifts, barrages and custom messages.
  public var messages: RoomMessages { RoomMessages(session: session) }
  /// Messages over data channels, for ``RoomOptions/data``.
  public var data: RoomData { RoomData(session: session) }
  /// The room's attributes: key–value pairs of the app.
  public var attributes: RoomAttributes { RoomAttributes(session: session) }
  /// Relay jobs, which send tracks of the room to servers of RTMP and SRT, and files.
  public var jobs: RoomJobs { RoomJobs(session: session) }
  /// Files and URLs that the server plays in the room.
  public var players: RoomPlayers { RoomPlayers(session: session) }
  /// The picture that the server composes of the users on stage.
  public var stage: RoomStage { RoomStage(session: session) }
  /// This client's own participant; nil before the first join.
  public var me: ParticipantInfo? { store.value.me }
  /// The other participants, in no particular order.
  public var participants: [ParticipantInfo] { Array(store.value.participants.values) }
  /// The tracks that this client receives.
  public var remoteTracks: [RemoteTrack] { Array(store.value.remoteTracks.values) }
  /// The server's limits.
  public var limits: RoomLimits { store.value.limits }

  /// Returns a new stream of the room's events, which ends after the room is closed.
  ///
  /// The first call returns the stream that began with the join, so that no event is missed. Each later call returns a stream
  /// of the events from then on. The parts have streams of their own, such as ``RoomPK/events()``, with a first call each.
  ///
  /// Every stream has its own buffer of ``RoomOptions/eventBacklog`` events. If its reader is slower, the stream loses its
  /// oldest events, without a notice; other streams and the state of the room are not affected. One stream has one reader.
  /// The order between events of different streams is not defined.
  public func events() -> AsyncStream<RoomEvent> { store.events.all.stream() }

  /// Publishes tracks, all or none.
  /// - Throws: `RoomError` 10003 without the `publish` grant, 80201 if the server cannot take them;
  ///   ``RoomClientError/trackInUse`` for a track that is already published; ``RoomClientError/negotiationFailed(_:)`` for a
  ///   codec that the server rejects.
  public func publish(_ tracks: [any LocalTrack]) async throws { try await session.publish(tracks) }
  /// Publishes an audio and a video track, both or none.
  /// - Throws: as ``publish(_:)``.
  public func publish(audio: LocalAudioTrack, video: LocalVideoTrack) async throws {
    try await session.publish([audio, video])
  }
  /// Publishes an audio track.
  /// - Throws: as ``publish(_:)``.
  public func publishAudio(_ track: LocalAudioTrack) async throws { try await session.publish([track]) }
  /// Publishes a video track.
  /// - Throws: as ``publish(_:)``.
  public func publishVideo(_ track: LocalVideoTrack) async throws { try await session.publish([track]) }
  /// Unpublishes tracks; they may be published again.
  /// - Throws: ``RoomClientError/trackUnknown`` for a track that is not published here.
  public func unpublish(_ tracks: [any LocalTrack]) async throws { try await session.unpublish(tracks) }
  /// Unpublishes all tracks of a kind, or all tracks if the kind is nil. Does nothing if there are none.
  public func unpublish(_ kind: TrackKind? = nil) async throws { try await session.unpublish(kind) }
  /// Unpublishes all audio tracks of this client. Does nothing if there are none.
  public func unpublishAudio() async throws { try await session.unpublish(.audio) }
  /// Unpublishes all video tracks of this client. Does nothing if there are none.
  public func unpublishVideo() async throws { try await session.unpublish(.video) }
  /// Mutes or unmutes all audio tracks of this client; they stay published. Does nothing if there are none.
  /// - Throws: `RoomError` 80403 while the seat's switches mute them.
  public func muteAudio(_ muted: Bool) async throws { try await session.mute(.audio, muted) }
  /// Mutes or unmutes all video tracks of this client; they stay published. Does nothing if there are none.
  /// - Throws: as ``muteAudio(_:)``.
  public func muteVideo(_ muted: Bool) async throws { try await session.mute(.video, muted) }
  /// Mutes or unmutes a track of this client. The track stays published, and the other participants receive `muteChanged`.
  /// - Throws: ``RoomClientError/trackUnknown`` for a track that is not published here; else as ``muteAudio(_:)``.
  public func mute(_ track: any LocalTrack, _ muted: Bool) async throws { try await session.mute(track, muted) }
  /// Mutes or unmutes any track by its id. Another participant's track needs the `admin` grant.
  /// - Throws: `RoomError` 10003 without the grant; 80202 if there is no such track; 80403 while the seat's switches mute it.
  public func mute(trackId: TrackID, _ muted: Bool) async throws { try await session.mute(trackId: trackId, muted) }
  /// Subscribes to tracks by id and to all tracks of users. Each track results in a `trackSubscribed` or a `subscribeFailed`
  /// event.
  /// - Throws: `RoomError` 10003 without the `subscribe` grant, 80202 for a track that cannot be received.
  public func subscribe(trackIds: [TrackID] = [], userIds: [UserID] = []) async throws {
    try await session.subscribe(trackIds: trackIds, userIds: userIds)
  }
  /// Unsubscribes from tracks by id and from all tracks of users.
  public func unsubscribe(trackIds: [TrackID] = [], userIds: [UserID] = []) async throws {
    try await session.unsubscribe(trackIds: trackIds, userIds: userIds)
  }
  /// Stops and resumes the reception of all tracks, such as while the app plays the room's stream. The choices of tracks are
  /// kept, and so is this one after a reconnection. `Audience` of `RoomMedia` calls it.
  /// - Throws: `RoomError` 10003 without the `subscribe` grant; ``RoomClientError`` while the connection is down; the choice
  ///   applies after the reconnection then.
  public func setReceiving(_ enabled: Bool) async throws { try await session.setReceiving(enabled) }
  /// Requests the URLs at which an audience plays the room, signed now if the server protects them.
  ///
  /// ``snapshot`` has those of the last join or request.
  /// - Parameter picture: a variant of the stream, which `rtmp`, `flv` and `hls` play.
  /// - Throws: `RoomError` 80204 if the server has no such variant; ``RoomClientError`` while the connection is down.
  public func playURLs(_ picture: PlayPicture = .original) async throws -> PlayURLs { try await session.playURLs(picture) }
  /// Returns a stream of the events from now on, and leaves the one that began with the join to the app.
  package func laterEvents() -> AsyncStream<RoomEvent> { store.events.all.watch() }
  /// The options of the join.
  package var options: RoomOptions { session.options }
  /// Removes a user from the room; needs the `admin` grant.
  /// - Throws: `RoomError` 10003 without the grant, 80103 if the user is not in the room.
  public func kick(userId: UserID) async throws {
    let _: Empty = try await session.request(.kick(UserParams(userId: userId)))
  }
  /// Leaves the room for good. Never fails: a server that cannot be reached notices it later.
  ///
  /// The streams of events first deliver what the server sent so far, and the ends of the jobs that this client stopped.
  /// Returns when the server was informed, or after at most two seconds.
  public func leave() async { await session.leave() }
  /// Reports that the machine's network changed. The client reconnects media and signalling from the current addresses, without
  /// a new join.
  ///
  /// The client detects a change of its own address by itself, and follows it as ``RoomOptions/networkChange`` says. This call is
  /// for an app that knows of other changes, or that chose ``NetworkChangePolicy/ignore``.
  public func networkChanged() async { await session.networkChanged() }
  /// Returns the statistics of the transports and tracks since the last report.
  public func statistics() async -> RoomStatistics { await session.statistics() }
  /// Changes the interval of `statistics` events. The next event follows after the new interval, which also applies after a
  /// reconnection.
  /// - Parameter interval: the interval, clamped to 0.1 s…1 day; nil stops the events.
  public func setStatisticsInterval(_ interval: Duration?) async { await session.setStatisticsInterval(interval) }
  /// Starts or stops `audioLevels` and `activeSpeakers` events. The choice also applies after a reconnection.
  /// - Throws: ``RoomClientError`` while the connection is down; nothing changes then.
  public func setAudioLevels(_ enabled: Bool) async throws { try await session.setAudioLevels(enabled) }
}
