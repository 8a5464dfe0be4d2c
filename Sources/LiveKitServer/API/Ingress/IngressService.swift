import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// The methods of LiveKit's `Ingress`, on the stream keys of this server.
struct IngressService: Sendable {
  let directory: RoomDirectory
  let keys: StreamKeys

  var service: TwirpService {
    TwirpService(
      "livekit.Ingress",
      [
        TwirpMethod("CreateIngress", .manageIngress, create),
        // The node of the room, which knows the encoder's state; any node for all of them.
        TwirpMethod("ListIngress", .manageIngress, locatedBy: { await room(of: $0.ingressID) }, list),
        // The node of the room, which disconnects the encoder.
        TwirpMethod("UpdateIngress", .manageIngress, locatedBy: { await room(of: $0.ingressID) }, update),
        TwirpMethod("DeleteIngress", .manageIngress, locatedBy: { await room(of: $0.ingressID) }, delete),
      ])
  }

  @Sendable private func create(_ request: LiveKit.CreateIngressRequest) async throws(TwirpError) -> LiveKit.IngressInfo {
    let input: StreamKey.Input
    switch request.inputType {
    case .rtmpInput: input = .rtmp
    case .whipInput: input = .whip
    case .urlInput: input = .url
    default: throw TwirpError(.invalidArgument, "input_type: RTMP_INPUT, WHIP_INPUT or URL_INPUT")
    }
    _ = try url(of: input)
    let (room, user, profile) = try Self.participant(request)
    var key = StreamKey(
      input, room: room, user: user, profile: profile, description: request.protobuf, createdAt: WebhookEvent.now())
    key.isEnabled = request.enabled ?? true
    if input == .url { try await play(request.url, as: key) }
    try await performed { [key] () throws(RoomError) in try await keys.add(key) }
    return try await info(key)
  }

  @Sendable private func update(_ request: LiveKit.UpdateIngressRequest) async throws(TwirpError) -> LiveKit.IngressInfo {
    guard let old = try await performed({ () throws(RoomError) in try await keys.key(id: request.ingressID) }) else {
      throw Self.unknown
    }
    guard old.input != .url else {
      throw TwirpError(.invalidArgument, "ingress_id: an ingress of a URL can't be changed; delete it and create another one")
    }
    var described = try Self.description(of: old)
    described.merge(request)
    let (room, user, profile) = try Self.participant(described)
    let isEnabled = request.enabled ?? old.isEnabled
    let description = described.protobuf
    let key = try await performed { () throws(RoomError) in
      try await keys.change(old.id) {
        ($0.room, $0.user, $0.profile, $0.isEnabled, $0.description) = (room, user, profile, isEnabled, description)
      }
    }
    guard let key else { throw Self.unknown }
    if (key.room, key.user) != (old.room, old.user) || !key.isEnabled { await disconnect(old) }
    return try await info(key)
  }

  @Sendable private func delete(_ request: LiveKit.DeleteIngressRequest) async throws(TwirpError) -> LiveKit.IngressInfo {
    guard let key = try await performed({ () throws(RoomError) in try await keys.remove(request.ingressID) }) else {
      throw Self.unknown
    }
    let info = try await info(key)
    await disconnect(key)
    return info
  }

  @Sendable private func list(_ request: LiveKit.ListIngressRequest) async throws(TwirpError) -> LiveKit.ListIngressResponse {
    var items: [LiveKit.IngressInfo] = []
    for key in try await performed({ () throws(RoomError) in try await keys.all }) {
      guard request.ingressID.isEmpty || key.id == request.ingressID else { continue }
      let info = try await info(key)
      if request.roomName.isEmpty || info.roomName == request.roomName { items.append(info) }
    }
    return LiveKit.ListIngressResponse { [items] in $0.items = items }
  }

  /// Starts the player of an ingress that reads a URL. Creates the room if necessary, as the publish of an encoder does.
  private func play(_ url: String, as key: StreamKey) async throws(TwirpError) {
    do throws(RoomError) {
      try await directory.prepare(key.room, or: .joinFailed)
      let room = try await directory.create(key.room, RoomSettingsOptions()).0
      let params = PlayerParams(userId: key.user, url: url, name: key.profile.name.isEmpty ? nil : key.profile.name)
      _ = try await room.call(.players(.start(params)))
    } catch {
      throw TwirpError(error.code == .cdnParameters ? .invalidArgument : .resourceExhausted, error.message)
    }
    await directory.store?.settled()
  }

  // MARK: Describing

  private static let unknown = TwirpError(.notFound, "ingress does not exist")

  private func room(of id: String) async -> RoomName? { (try? await keys.key(id: id))?.room }

  private func performed<Result>(_ body: () async throws(RoomError) -> Result) async throws(TwirpError) -> Result {
    do throws(RoomError) { return try await body() } catch {
      throw TwirpError(error.code == .updateRoomFailed ? .resourceExhausted : .unavailable, error.message)
    }
  }

  fileprivate static func description(of key: StreamKey) throws(TwirpError) -> LiveKit.CreateIngressRequest {
    do throws(MessageError) { return try LiveKit.CreateIngressRequest(protobuf: key.description) } catch {
      throw TwirpError(.internal, "the ingress can't be read: \(error)")
    }
  }

  /// Returns the participant that an ingress publishes as.
  private static func participant(
    _ request: LiveKit.CreateIngressRequest
  ) throws(TwirpError) -> (RoomName, UserID, ParticipantProfile) {
    guard let room = ForeignName(request.roomName)?.room, let user = ForeignName(request.participantIdentity)?.user else {
      throw TwirpError(
        .invalidArgument, "room_name, participant_identity: each has 1 to \(ForeignName.maximumBytes) bytes")
    }
    let profile = ParticipantProfile(
      name: request.participantName, metadata: request.participantMetadata, attributes: [:])
    guard profile.isValid else {
      throw TwirpError(
        .invalidArgument,
        "participant_name, participant_metadata: at most \(ParticipantProfile.maximumBytes) bytes together")
    }
    return (room, user, profile)
  }

  /// Returns the URL to which encoders append their stream key, or to which they send it as bearer token.
  private func url(of input: StreamKey.Input) throws(TwirpError) -> String {
    let addresses = directory.play.withLock { $0 }
    switch input {
    case .whip: return "\(addresses.http)/w"
    case .url: return ""
    case .rtmp:
      guard let rtmp = addresses.rtmp else {
        throw TwirpError(.unimplemented, "input_type: this server was started without RTMP")
      }
      return "\(rtmp)/\(StreamKey.app)"
    }
  }

  private func info(_ key: StreamKey) async throws(TwirpError) -> LiveKit.IngressInfo {
    var info = try LiveKit.IngressInfo(key, state: await state(of: key))
    (info.streamKey, info.url) = (key.key, (try? url(of: key.input)) ?? "")
    if key.input == .url { (info.streamKey, info.url) = ("", try Self.description(of: key).url) }
    return info
  }

  /// Returns whether an encoder publishes, as far as this node knows: the node of the room does.
  private func state(of key: StreamKey) async -> LiveKit.IngressState {
    guard let room = await directory.room(key.room), let participant = await room.read({ $0.participant(key.user) }),
      participant.isIngested, participant.connected
    else { return LiveKit.IngressState() }
    return LiveKit.IngressState {
      $0.status = participant.tracks.isEmpty ? .buffering : .publishing
      $0.roomID = LiveKitID.room(room.name, createdAt: room.createdAt)
      $0.tracks = participant.tracks.map { LiveKit.TrackInfo($0) }
      $0.startedAt = participant.joinedAt.multipliedReportingOverflow(by: 1_000_000).partialValue
    }
  }

  private func disconnect(_ key: StreamKey) async {
    guard let room = await directory.room(key.room), await room.read({ $0.participant(key.user) })?.isIngested == true else {
      return
    }
    _ = try? await room.call(.kick(UserParams(userId: key.user)))
    await directory.store?.settled()
  }
}

extension ParticipantInfo {
  /// Whether an encoder publishes it.
  var isIngested: Bool { kind == .encoder || kind == .whip }
}

extension LiveKit.IngressInfo {
  /// Describes a stream key, without the key itself.
  init(_ key: StreamKey, state: LiveKit.IngressState) throws(TwirpError) {
    let request = try IngressService.description(of: key)
    self.init {
      $0.ingressID = key.id
      ($0.name, $0.inputType, $0.roomName) = (request.name, request.inputType, request.roomName)
      ($0.participantIdentity, $0.participantName) = (request.participantIdentity, request.participantName)
      $0.participantMetadata = request.participantMetadata
      ($0.audio, $0.video) = (request.audio, request.video)
      ($0.bypassTranscoding, $0.enableTranscoding) = (request.bypassTranscoding, request.enableTranscoding)
      ($0.reusable, $0.enabled, $0.state) = (true, key.isEnabled, state)
    }
  }
}

extension LiveKit.CreateIngressRequest {
  /// Applies a change: an empty text leaves a member as it is.
  fileprivate mutating func merge(_ change: LiveKit.UpdateIngressRequest) {
    if !change.name.isEmpty { name = change.name }
    if !change.roomName.isEmpty { roomName = change.roomName }
    if !change.participantIdentity.isEmpty { participantIdentity = change.participantIdentity }
    if !change.participantName.isEmpty { participantName = change.participantName }
    if !change.participantMetadata.isEmpty { participantMetadata = change.participantMetadata }
    audio = change.audio ?? audio
    video = change.video ?? video
    bypassTranscoding = change.bypassTranscoding ?? bypassTranscoding
    enableTranscoding = change.enableTranscoding ?? enableTranscoding
    enabled = change.enabled ?? enabled
  }
}
