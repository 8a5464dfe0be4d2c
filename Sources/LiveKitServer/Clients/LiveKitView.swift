import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// A room as one LiveKit client sees it, as a value: takes the room's events, and says which messages describe them to the client.
struct LiveKitView: Sendable {
  /// What the client may do is what the room says last.
  var token: LiveKitToken
  var client: LiveKitClient
  var roster: LiveKitRoster
  var publishing = LiveKitPublishing()
  private(set) var room = LiveKit.Room()
  private var messages: [LiveKit.SignalResponse.Content] = []
  private var speakers = LiveKitSpeakers()
  private var denials = LiveKitDenials()

  init(_ token: LiveKitToken, _ client: LiveKitClient) {
    self.token = token
    self.client = client
    roster = LiveKitRoster(room: token.grants.room?.room ?? "")
  }

  /// The client itself.
  var own: UserID { token.identity?.user ?? "" }

  /// Returns the messages about what has happened, in order.
  mutating func takeMessages() -> [LiveKit.SignalResponse.Content] {
    defer { messages = [] }
    return messages
  }

  private mutating func send(_ message: LiveKit.SignalResponse.Content) { messages.append(message) }

  /// Takes over what the room says of itself and of everybody in it.
  mutating func know(_ result: JoinResult) {
    for info in [result.me] + result.participants { roster.set(info) }
    _ = roster.set(result.room.seats)
    // Those that the server API gave it outlast its connection.
    if let permissions = result.me.permissions { token.grants.set(permissions) }
    room.sid = LiveKitID.room(result.room.name, createdAt: result.room.createdAt)
    room.name = result.room.name.foreignName
    room.creationTime = result.room.createdAt / 1000
    room.creationTimeMilliseconds = result.room.createdAt
    room.metadata = result.room.attributes[LiveKit.Room.metadataAttribute] ?? ""
    countParticipants()
  }

  /// Takes over another room, in which the client has its tracks. Returns the last descriptions of the others in the former one.
  mutating func move(to result: JoinResult) -> [LiveKit.ParticipantInfo] {
    roster.remove(own)
    let left = roster.describeLeft(staying: [])
    var next = LiveKitView(token, client)
    next.token.grants.room = ForeignName(id: result.room.name.rawValue)
    next.roster = LiveKitRoster(room: result.room.name)
    next.publishing = publishing
    self = next
    know(result)
    return left
  }

  private mutating func countParticipants() {
    room.numParticipants = UInt32(clamping: roster.count)
    room.numPublishers = UInt32(clamping: roster.publishers)
  }

  /// Describes the client itself, with what its token says.
  mutating func describeOwn() -> LiveKit.ParticipantInfo {
    guard var info = roster.describe(own) else { return LiveKit.ParticipantInfo() }
    info.clientProtocol = client.clientProtocol
    info.capabilities = client.capabilities
    for index in info.tracks.indices { publishing.complete(&info.tracks[index]) }
    info.permission?.canPublishData = token.grants.canPublishData
    info.permission?.canUpdateMetadata = token.grants.canUpdateOwnMetadata
    info.permission?.canPublishSources = token.grants.canPublishSources.map { LiveKit.TrackSource($0) }
    return info
  }

  // MARK: Events

  /// Handles an event of the room.
  /// - Parameter now: milliseconds since 1970.
  mutating func receive(_ event: SignalEvent, at now: Int64) {
    switch event {
    case .joined(let info):
      roster.set(info)
      update(info.userId)
    case .left(let data): leave(data)
    case .profileChanged(let data):
      roster.change(data.userId) { $0.profile = data.profile }
      update(data.userId)
    case .permissionsChanged(let data): permissionsChanged(data)
    case .published(let data):
      roster.change(data.userId) { $0.tracks += data.tracks }
      update(data.userId)
    case .unpublished(let data):
      roster.change(data.userId) { $0.tracks.removeAll { data.trackIds.contains($0.trackId) } }
      denials.forget(data.trackIds)
      update(data.userId)
    case .muteChanged(let data): muteChanged(data)
    case .offer(let data):
      send(.offer(describe("offer", data.sdp, data.tracks, id: UInt32(clamping: data.offer))))
    case .subscribeFailed(let data) where data.error.code == .noPermission:
      denials.deny(data.trackIds)
      for track in data.trackIds { sendPermission(track, isAllowed: false) }
    case .subscribeFailed(let data):
      for track in data.trackIds {
        send(
          .subscriptionResponse(
            LiveKit.SubscriptionResponse {
              $0.trackSID = track.rawValue
              $0.err = .codecUnsupported
            }))
      }
    case .layers(let data):
      for layers in data.layers {
        send(.subscribedQualityUpdate(LiveKit.SubscribedQualityUpdate(layers, of: roster.track(layers.trackId))))
      }
    case .streams(let data): sendStreams(data)
    case .networkQuality(let data):
      let updates = data.users.compactMap { quality in
        roster.sid(of: quality.userId).map { LiveKit.ConnectionQualityInfo(quality, sid: $0) }
      }
      if !updates.isEmpty { send(.connectionQuality(LiveKit.ConnectionQualityUpdate { $0.updates = updates })) }
    case .audioLevels(let data): sendSpeakers(speakers.note(data, at: now).map { ($0.key, $0.value, true) })
    case .activeSpeakers(let data): sendSpeakers(speakers.note(data, at: now))
    case .changed(let change): receive(change.change)
    // Nothing in LiveKit's signalling corresponds to the others.
    case .ended, .alternatives, .connectionChanged, .kicked, .jobChanged, .jobStatus, .jobEnded, .playerChanged, .playerEnded,
      .stageChanged,
      .compositionChanging, .pkToken,
      .pkOnAir, .unknown:
      break
    }
  }

  /// Returns a description of this server as the client expects it, after messages about what it may receive again.
  /// - Parameter tracks: those that the room sends.
  mutating func describe(
    _ type: String, _ sdp: String, _ tracks: [OfferedTrack], id: UInt32
  ) -> LiveKit.SessionDescription {
    for track in denials.permit(tracks) { sendPermission(track.trackId, isAllowed: true) }
    return LiveKit.SessionDescription { [roster] in
      $0.type = type
      $0.sdp = LiveKitDescription.named(sdp, tracks) { roster.sid(of: $0) }
      $0.id = id
      $0.midToTrackID = Dictionary(tracks.map { ($0.mid, $0.trackId.rawValue) }) { first, _ in first }
    }
  }

  private mutating func receive(_ change: RoomChange) {
    switch change {
    case .seatChanged(let data): for user in roster.set(data.seat) { update(user) }
    case .layoutChanged(let data): for user in roster.set(data.seats) { update(user) }
    case .attributesChanged(let data):
      let key = LiveKit.Room.metadataAttribute
      guard let metadata = data.removed.contains(key) ? "" : data.set[key] else { break }
      room.metadata = metadata
      countParticipants()
      send(.roomUpdate(LiveKit.RoomUpdate { [room] in $0.room = room }))
    default: break
    }
  }

  /// Sends what has changed of a participant.
  private mutating func update(_ user: UserID) {
    let info = user == own ? describeOwn() : roster.describe(user)
    guard let info else { return }
    send(.update(LiveKit.ParticipantUpdate { $0.participants = [info] }))
  }

  private mutating func leave(_ data: LeftData) {
    guard var info = roster.describe(data.userId, state: .disconnected) else { return }
    info.disconnectReason = LiveKit.DisconnectReason(data.reason)
    denials.forget(info.tracks.map { TrackID($0.sid) })
    roster.remove(data.userId)
    send(.update(LiveKit.ParticipantUpdate { $0.participants = [info] }))
  }

  private mutating func permissionsChanged(_ data: PermissionsData) {
    let permissions = data.permissions
    roster.change(data.userId) { info in
      info.grants = permissions.grants
      info.permissions = permissions
    }
    if data.userId == own { token.grants.set(permissions) }
    update(data.userId)
  }

  private mutating func muteChanged(_ data: MuteData) {
    roster.change(data.userId) { info in
      for index in info.tracks.indices where info.tracks[index].trackId == data.trackId {
        info.tracks[index].muted = data.muted
      }
    }
    guard data.userId == own else { return update(data.userId) }
    send(
      .mute(
        LiveKit.MuteTrackRequest {
          $0.sid = data.trackId.rawValue
          $0.muted = data.muted
        }))
  }

  /// Sends whether the client may receive a track.
  private mutating func sendPermission(_ track: TrackID, isAllowed: Bool) {
    guard let owner = roster.owner(of: track).flatMap({ roster.sid(of: $0) }) else { return }
    send(.subscriptionPermissionUpdate(LiveKit.SubscriptionPermissionUpdate(track, of: owner, isAllowed: isAllowed)))
  }

  private mutating func sendStreams(_ data: StreamsData) {
    let states = data.streams.compactMap { stream -> LiveKit.StreamStateInfo? in
      guard let owner = roster.owner(of: stream.trackId), let sid = roster.sid(of: owner) else { return nil }
      return LiveKit.StreamStateInfo {
        $0.participantSID = sid
        $0.trackSID = stream.trackId.rawValue
        $0.state = stream.state == .paused ? .paused : .active
      }
    }
    if !states.isEmpty { send(.streamStateUpdate(LiveKit.StreamStateUpdate { $0.streamStates = states })) }
  }

  private mutating func sendSpeakers(_ changed: [(user: UserID, level: Float, isActive: Bool)]) {
    let infos = changed.compactMap { speaker -> LiveKit.SpeakerInfo? in
      guard let sid = roster.sid(of: speaker.user) else { return nil }
      return LiveKit.SpeakerInfo {
        $0.sid = sid
        $0.level = speaker.level
        $0.active = speaker.isActive
      }
    }
    if !infos.isEmpty { send(.speakersChanged(LiveKit.SpeakersChanged { $0.speakers = infos })) }
  }
}

extension VideoGrants {
  /// Takes over what the room says of a participant.
  fileprivate mutating func set(_ permissions: Permissions) {
    canPublish = permissions.grants.contains(.publish)
    canSubscribe = permissions.grants.contains(.subscribe)
    roomAdmin = permissions.grants.contains(.admin)
    roomRecord = permissions.grants.contains(.relay)
    canPublishData = permissions.data ?? canPublish
    canPublishSources = (permissions.sources ?? []).compactMap { tag in
      LiveKit.TrackSource(tag: tag).flatMap { Source($0) }
    }
    if let ownProfile = permissions.ownProfile { canUpdateOwnMetadata = ownProfile }
  }
}

extension VideoGrants.Source {
  init?(_ source: LiveKit.TrackSource) {
    switch source {
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .screenShare: self = .screenShare
    case .screenShareAudio: self = .screenShareAudio
    default: return nil
    }
  }
}

extension LiveKit.TrackSource {
  fileprivate init(_ source: VideoGrants.Source) {
    switch source {
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .screenShare: self = .screenShare
    case .screenShareAudio: self = .screenShareAudio
    }
  }
}
