import RoomProtocol

/// A room that this client has joined: what one sees of the others, and what one does oneself.
///
/// ```swift
/// let room = try await Room.connect(to: "wss://example.org/v1/signal", token: token)
/// let camera = LocalVideoTrack(codec: .h264, width: 1280, height: 720, fps: 30)
/// try await room.publish([camera])
/// for await event in room.events { … }
/// ```
///
/// A lost connection is resumed by itself, as `RoomOptions.reconnect` says; tracks and subscriptions go on. Calls that find the
/// connection down throw; they do not wait for it. A refusal by the server is thrown as `RoomError`, all else as
/// `RoomClientError`. A room that is let go without `leave()` leaves by itself.
public final class Room: Sendable {
  private let session: RoomSession
  private let board: RoomBoard
  private let visit: PKVisit?

  /// - Parameter visit: where it was moved to for a PK: what it was left behind for it.
  init(session: RoomSession, visit: PKVisit? = nil) {
    self.session = session
    self.visit = visit
    board = session.board
  }

  deinit {
    let session = session
    Task { await session.leave() }
  }

  /// Joins the room that the token names.
  ///
  /// - Parameters:
  ///   - url: the signalling address, `ws://host:port/v1/signal` or `wss://…`
  ///   - token: a room token (behaviour.md §2)
  /// - Throws: `RoomError` where the server refuses, `RoomClientError` where it can't be reached.
  public static func connect(to url: String, token: String, options: RoomOptions = RoomOptions()) async throws -> Room {
    let session = try RoomSession(RoomEntry(url: url, token: token, options: options))
    try await session.connect()
    return Room(session: session)
  }

  public var state: RoomState { board.value.state }
  /// What happens from now on. Each caller has its own stream, which ends after the room is closed.
  ///
  /// The first caller also gets what happened since the join, so that no early event is missed.
  public var events: AsyncStream<RoomEvent> { board.eventStream() }
  /// The room's name.
  public var name: RoomName { board.value.room?.name ?? "" }
  /// The room as it is now: layout, seats, requests, attributes, messages, PK and jobs.
  public var snapshot: RoomSnapshot? { board.value.room }
  /// Seats and layout: who sits where, who asks for a seat.
  public var seats: RoomSeats { RoomSeats(session: session) }
  /// The PK with another room.
  public var pk: RoomPK { RoomPK(session: session, visit: visit) }
  /// Texts, likes, gifts, barrages, and the app's own messages.
  public var messages: RoomMessages { RoomMessages(session: session) }
  /// What the app knows of the room, as keys with values.
  public var attributes: RoomAttributes { RoomAttributes(session: session) }
  /// The relay jobs that run, whoever began them.
  public var jobs: [JobInfo] { board.value.room?.jobs ?? [] }
  /// This client itself.
  public var me: ParticipantInfo? { board.value.me }
  /// The others, in no particular order.
  public var participants: [ParticipantInfo] { Array(board.value.participants.values) }
  /// What is being received.
  public var remoteTracks: [RemoteTrack] { Array(board.value.remoteTracks.values) }
  /// What the server allows.
  public var limits: RoomLimits { board.value.limits }

  /// Publishes tracks, all or none.
  public func publish(_ tracks: [any LocalTrack]) async throws { try await session.publish(tracks) }
  /// Publishes a microphone and a camera, both or none.
  public func publish(audio: LocalAudioTrack, video: LocalVideoTrack) async throws {
    try await session.publish([audio, video])
  }
  /// Publishes a microphone, or other sound.
  public func publishAudio(_ track: LocalAudioTrack) async throws { try await session.publish([track]) }
  /// Publishes a camera, or other pictures.
  public func publishVideo(_ track: LocalVideoTrack) async throws { try await session.publish([track]) }
  /// Takes tracks back; they may be published again.
  public func unpublish(_ tracks: [any LocalTrack]) async throws { try await session.unpublish(tracks) }
  /// Takes back all that is published of a kind, or all. Nothing is published: nothing happens.
  public func unpublish(_ kind: TrackKind? = nil) async throws { try await session.unpublish(kind) }
  /// Takes back all audio tracks that are published here. Without any, nothing happens.
  public func unpublishAudio() async throws { try await session.unpublish(.audio) }
  /// Takes back all video tracks that are published here. Without any, nothing happens.
  public func unpublishVideo() async throws { try await session.unpublish(.video) }
  /// Mutes or unmutes all audio tracks that are published here. Without any, nothing happens.
  /// - Throws: `RoomError` 80403 while the seat's switches mute them.
  public func muteAudio(_ muted: Bool) async throws { try await session.mute(.audio, muted) }
  /// Mutes or unmutes all video tracks that are published here. Without any, nothing happens.
  /// - Throws: as ``muteAudio(_:)``.
  public func muteVideo(_ muted: Bool) async throws { try await session.mute(.video, muted) }
  /// Mutes or unmutes one of one's own tracks: the publication stays, the others are told.
  public func mute(_ track: any LocalTrack, _ muted: Bool) async throws { try await session.mute(track, muted) }
  /// Mutes or unmutes anybody's track; needs the `admin` grant where it is another's.
  public func mute(trackId: TrackID, _ muted: Bool) async throws { try await session.mute(trackId: trackId, muted) }
  /// Asks for tracks by id and for all tracks of users; each comes as `trackSubscribed`, or as `subscribeFailed`.
  public func subscribe(trackIds: [TrackID] = [], userIds: [UserID] = []) async throws {
    try await session.subscribe(trackIds: trackIds, userIds: userIds)
  }
  /// Ends the reception of tracks by id, and of all tracks of users.
  public func unsubscribe(trackIds: [TrackID] = [], userIds: [UserID] = []) async throws {
    try await session.unsubscribe(trackIds: trackIds, userIds: userIds)
  }
  /// Throws a user out; needs the `admin` grant.
  public func kick(userId: UserID) async throws { try await session.kick(userId: userId) }
  /// Sends tracks of a participant, one's own if none is named, to an RTMP server; needs the `relay` grant. What becomes of it comes
  /// as `jobChanged`, `jobStatus` and `jobEnded`.
  /// - Throws: `RoomError` 80204 for a URL or an id that won't do, 80201 for a `serialnum` that is not the largest; 10003 without the grant,
  ///   and for a URL whose broadcast is another room's: at the server's own origin the stream has the room's name.
  @discardableResult public func startForward(_ job: ForwardParams) async throws -> JobInfo {
    try await session.startForward(job)
  }
  /// Sends a mix of the room's tracks to an RTMP server, or into the room; needs the `relay` grant. What becomes of it comes as
  /// `jobChanged`, `jobStatus` and `jobEnded`.
  /// - Throws: `RoomError` 80204 naming the field that won't do, 80202 for a track that is not there, 80201 for a `serialnum` that is
  ///   not the largest, or where the server has no room for the mix; 10003 as ``startForward(_:)``.
  @discardableResult public func startMerge(_ job: MergeParams) async throws -> JobInfo { try await session.startMerge(job) }
  /// Arranges a merge job's tracks anew, from the next frame on; needs the `relay` grant.
  /// - Throws: as ``startMerge(_:)``.
  public func setLayouts(_ layouts: [TrackLayout], of jobId: JobID) async throws {
    try await session.setLayouts(LayoutsParams(jobId: jobId, layouts: layouts))
  }
  /// Ends a relay job; needs the `relay` grant.
  public func stopJob(_ jobId: JobID) async throws { try await session.stopJob(jobId) }
  /// Leaves for good. Never fails: where the server can't be told, it will notice.
  public func leave() async { await session.leave() }
  /// Says that the machine's network changed: media and signalling are sought anew from the present addresses, with no new
  /// join.
  ///
  /// Media that stops is noticed without it; it only makes it faster.
  public func networkChanged() async { await session.networkChanged() }
  /// How media flows since the last report.
  public func statistics() async -> RoomStatistics { await session.statistics() }
  /// Changes how often `statistics` events come. The next one comes after the new interval, and the interval outlives a reconnect.
  /// - Parameter seconds: 0.1 to 86400, to which other values are limited; nil ends the events.
  public func setStatisticsInterval(_ seconds: Double?) async { await session.setStatisticsInterval(seconds) }
  /// Begins or ends `audioLevels` and `activeSpeakers` events. The choice outlives a reconnect.
  /// - Throws: `RoomClientError` while the connection is down: nothing changes then.
  public func setAudioLevels(_ enabled: Bool) async throws { try await session.setAudioLevels(enabled) }
}
