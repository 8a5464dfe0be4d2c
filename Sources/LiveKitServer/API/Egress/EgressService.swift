import RoomDigests
import RoomEngine
import RoomLiveKitProtocol
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomRelay
import RoomServer
import RoomToken

/// The methods of LiveKit's `Egress`, on the relay jobs of this server. They do what the REST API does.
struct EgressService: Sendable {
  let directory: RoomDirectory
  let egresses: Egresses

  var service: TwirpService { TwirpService("livekit.Egress", methods, missing: ["StartWebEgress"]) }

  private var methods: [TwirpMethod] {
    [
      TwirpMethod("StartRoomCompositeEgress", .record, in: \LiveKit.RoomCompositeEgressRequest.roomName) {
        (request, name) throws(TwirpError) in try await start(.roomComposite(request), in: name)
      },
      TwirpMethod("StartParticipantEgress", .record, in: \LiveKit.ParticipantEgressRequest.roomName) {
        (request, name) throws(TwirpError) in try await start(.participant(request), in: name)
      },
      TwirpMethod("StartTrackCompositeEgress", .record, in: \LiveKit.TrackCompositeEgressRequest.roomName) {
        (request, name) throws(TwirpError) in try await start(.trackComposite(request), in: name)
      },
      TwirpMethod("StartTrackEgress", .record, in: \LiveKit.TrackEgressRequest.roomName) {
        (request, name) throws(TwirpError) in try await start(.track(request), in: name)
      },
      TwirpMethod("StartEgress", .record, in: \LiveKit.StartEgressRequest.roomName) {
        (request, name) throws(TwirpError) in try await start(.egress(request), in: name)
      },
      TwirpMethod("UpdateLayout", .record, locatedBy: { await room(of: $0.egressID) }, updateLayout),
      TwirpMethod("UpdateStream", .record, locatedBy: { await room(of: $0.egressID) }, updateStream),
      TwirpMethod("StopEgress", .record, locatedBy: { await room(of: $0.egressID) }, stop),
      TwirpMethod("ListEgress", .record, list),
    ]
  }

  private static var now: Int64 { WebhookEvent.now() }

  // MARK: Starting

  /// Starts an egress, and returns it as it is at first.
  func start(_ request: LiveKit.EgressInfo.Request, in name: ForeignName) async throws(TwirpError) -> LiveKit.EgressInfo {
    let room = try await directory.openRoom(name)
    let plan = try EgressPlan(request)
    let destinations = try EgressDestination.all(of: request, at: Self.now)
    let now = Self.now
    let id = EgressRecord.prefix + (0..<6).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    var record = EgressRecord(
      id: id, room: room.name, roomName: name.text, roomID: LiveKitID.room(room.name, createdAt: room.createdAt),
      session: room.session, request: LiveKit.EgressInfo { $0.request = request.withoutKeys }.protobuf, outputs: [],
      createdAt: now, updatedAt: now)
    for destination in destinations {
      record.outputs.append(EgressRecord.Output(job: record.nextJob, kind: try kind(of: destination, in: record)))
    }
    // Before the first job: its events find the record.
    try await egresses.add(record)
    var started: [JobID] = []
    do throws(TwirpError) {
      for output in record.outputs {
        try await begin(output, plan, in: room)
        started.append(output.job)
      }
    } catch {
      for job in started { _ = try? await room.call(.stopJob(JobParams(jobId: job))) }
      await egresses.remove(id)
      throw error
    }
    await directory.store?.settled()
    return record.info
  }

  private func kind(
    of destination: EgressDestination, in record: EgressRecord
  ) throws(TwirpError) -> EgressRecord.Output.Kind {
    switch destination {
    case .stream(let id, let url): return .stream(id: id, url: url)
    case .file(let name): return .file("\(name)")
    case .track: return .track
    case .segments(let name):
      let addresses = directory.play.withLock { $0 }
      guard let path = StreamPath(app: PlayAddresses.app, stream: record.nextJob.rawValue), addresses.rtmp != nil,
        let url = addresses.urls(of: path, unixTime: record.createdAt / 1000).hls
      else { throw TwirpError(.unimplemented, "segment_outputs: this server was started without its origin") }
      return .segments(name: name, url: url)
    }
  }

  /// Starts the job of an output.
  private func begin(_ output: EgressRecord.Output, _ plan: EgressPlan, in room: Room) async throws(TwirpError) {
    let url: String
    switch output.kind {
    case .stream(_, let stream): url = stream
    case .file(let name): url = "file:\(name)"
    case .track: url = ""
    // The port may differ after a restart.
    case .segments: url = "rtmp://\(OwnAddresses.short)/\(PlayAddresses.app)/\(output.job)"
    }
    do throws(RoomError) {
      switch plan.content {
      case .room(let arrangement, let hasPicture):
        let encoding = plan.encoding ?? .standard
        let params = encoding.merge(output.job, to: url, hasPicture: hasPicture)
        _ = try await room.call { core throws(RoomError) in
          try core.startMerge(params, arrangement)
          return nil
        }
      case .participant(let user, let isScreen):
        let screen = isScreen ? try await screen(of: user, in: room) : nil
        if let encoding = plan.encoding {
          try await merge(output.job, to: url, encoding, user: user, audio: screen?.audio, video: screen?.video, in: room)
        } else {
          try await room.call(
            .startForward(
              ForwardParams(
                jobId: output.job, publishUrl: url, userId: screen == nil ? user : nil, audioTrackId: screen?.audio,
                videoTrackId: screen?.video)))
        }
      case .tracks(let audio, let video):
        if let encoding = plan.encoding {
          try await merge(output.job, to: url, encoding, user: nil, audio: audio, video: video, in: room)
        } else {
          try await room.call(
            .startForward(ForwardParams(jobId: output.job, publishUrl: url, audioTrackId: audio, videoTrackId: video)))
        }
      case .track(let id):
        guard let (user, track) = await Self.track(id, in: room) else {
          throw RoomError(.subscribeFailed, "nobody publishes a track \"\(id.rawValue.prefix(64))\"")
        }
        try await room.call(
          .startForward(
            ForwardParams(
              jobId: output.job, userId: user, kinds: [track.kind], tracks: .separate, tag: track.tag.isEmpty ? nil : track.tag)
          ))
      }
    } catch { throw TwirpError(error) }
  }

  private func merge(
    _ id: JobID, to url: String, _ encoding: EgressEncoding, user: UserID?, audio: TrackID?, video: TrackID?, in room: Room
  ) async throws(RoomError) {
    var layouts: [TrackLayout] = []
    if let video {
      var whole = encoding.whole
      whole.trackId = video
      layouts.append(whole)
    }
    if let audio { layouts.append(TrackLayout(trackId: audio)) }
    if let user, layouts.isEmpty {
      var whole = encoding.whole
      whole.userId = user
      layouts.append(whole)
    }
    try await room.call(
      .startMerge(encoding.merge(id, to: url, hasPicture: video != nil || user != nil, layouts)))
  }

  /// Returns the tracks of a participant's shared screen.
  private func screen(of user: UserID, in room: Room) async throws(RoomError) -> (audio: TrackID?, video: TrackID) {
    let tracks = await room.read { $0.participant(user) }?.tracks ?? []
    let sources = tracks.map { ($0.trackId, LiveKit.TrackSource(kind: $0.kind, tag: $0.tag)) }
    guard let video = sources.last(where: { $0.1 == .screenShare })?.0 else {
      throw RoomError(.subscribeFailed, "the participant shares no screen")
    }
    return (sources.last { $0.1 == .screenShareAudio }?.0, video)
  }

  private static func track(_ id: TrackID, in room: Room) async -> (UserID, TrackInfo)? {
    for participant in await room.read(\.participants) {
      if let track = participant.tracks.first(where: { $0.trackId == id }) { return (participant.userId, track) }
    }
    return nil
  }

  // MARK: Changing

  @Sendable private func updateLayout(_ request: LiveKit.UpdateLayoutRequest) async throws(TwirpError) -> LiveKit.EgressInfo {
    let (record, room) = try await running(request.egressID)
    guard case .room(let old, _) = try record.plan.content else {
      throw TwirpError(.failedPrecondition, "the egress does not show a whole room")
    }
    let arrangement = RoomArrangement(try EgressPlan.style(request.layout), isSilent: old.isSilent)
    for output in record.outputs where !output.isOver {
      do throws(RoomError) {
        _ = try await room.call { core throws(RoomError) in try core.setArrangement(arrangement, of: output.job) }
      } catch { throw TwirpError(error) }
    }
    await directory.store?.settled()
    return try await changed(record.id) { $0.layout = request.layout }
  }

  @Sendable private func updateStream(_ request: LiveKit.UpdateStreamRequest) async throws(TwirpError) -> LiveKit.EgressInfo {
    let (record, room) = try await running(request.egressID)
    let plan = try record.plan
    if case .track = plan.content { throw TwirpError(.failedPrecondition, "the egress of a track sends no streams") }
    let removed = try request.removeOutputURLs.map { (url) throws(TwirpError) in try record.output(to: url).job }
    var added: [EgressDestination] = []
    for url in request.addOutputURLs { added.append(try EgressDestination.stream(to: url)) }
    for new in request.addDestinations { added.append(try EgressDestination.stream(to: new.url, id: new.id)) }
    guard record.outputs.count(where: { !$0.isOver }) + added.count <= EgressDestination.maximum,
      record.outputs.count + added.count <= EgressRecord.maximumOutputs
    else { throw TwirpError(.resourceExhausted, "an egress has \(EgressDestination.maximum) outputs at most") }
    for destination in added {
      let kind = try kind(of: destination, in: record)
      let next = try await egresses.change(record.id) {
        $0.outputs.append(EgressRecord.Output(job: $0.nextJob, kind: kind))
      }
      guard let output = next?.outputs.last else { throw Self.unknown }
      do throws(TwirpError) { try await begin(output, plan, in: room) } catch {
        try await egresses.change(record.id) { $0.outputs.removeAll { $0.job == output.job } }
        throw error
      }
    }
    // Last, so that the egress does not end meanwhile.
    for job in removed { _ = try? await room.call(.stopJob(JobParams(jobId: job))) }
    await directory.store?.settled()
    return try await changed(record.id) { _ in }
  }

  @Sendable private func stop(_ request: LiveKit.StopEgressRequest) async throws(TwirpError) -> LiveKit.EgressInfo {
    guard let record = try await egresses.record(request.egressID) else { throw Self.unknown }
    guard !record.isOver else {
      throw TwirpError(
        .failedPrecondition,
        "egress with status \(LiveKit.EgressStatus.names[record.status.rawValue] ?? "") cannot be stopped")
    }
    let info = try await changed(record.id) { $0.isStopping = true }
    try await egresses.settle(record.id)
    await directory.store?.settled()
    return info
  }

  private func changed(
    _ id: String, _ change: @escaping @Sendable (inout EgressRecord) -> Void
  ) async throws(TwirpError) -> LiveKit.EgressInfo {
    let now = Self.now
    let record = try await egresses.change(id) {
      change(&$0)
      $0.updatedAt = now
    }
    guard let record else { throw Self.unknown }
    return record.info
  }

  // MARK: Finding

  private static let unknown = TwirpError(.notFound, "egress does not exist")

  private func running(_ id: String) async throws(TwirpError) -> (EgressRecord, Room) {
    guard let record = try await egresses.record(id) else { throw Self.unknown }
    guard !record.isOver, !record.isStopping, let room = await directory.room(record.room) else {
      throw TwirpError(
        .failedPrecondition,
        "egress with status \(LiveKit.EgressStatus.names[record.status.rawValue] ?? "") cannot be updated")
    }
    return (record, room)
  }

  /// Returns the room of an egress; nil if there is none of this id.
  private func room(of id: String) async -> RoomName? { (try? await egresses.record(id))?.room }

  @Sendable private func list(_ request: LiveKit.ListEgressRequest) async throws(TwirpError) -> LiveKit.ListEgressResponse {
    let records = try await egresses.all.filter { record in
      (request.roomName.isEmpty || record.roomName == request.roomName)
        && (request.egressID.isEmpty || record.id == request.egressID) && !(request.active && record.isOver)
    }
    return LiveKit.ListEgressResponse { $0.items = records.map(\.info) }
  }
}

extension EgressRecord {
  /// The maximum number of outputs, with those that have ended.
  static let maximumOutputs = 64

  /// What the egress sends.
  var plan: EgressPlan {
    get throws(TwirpError) {
      guard let request = info.request else { throw TwirpError(.internal, "the egress has no request") }
      return try EgressPlan(request)
    }
  }

  /// Returns the running output to a URL.
  fileprivate func output(to url: String) throws(TwirpError) -> Output {
    let wanted = PublishURL(url)?.broadcast
    let found = outputs.first { output in
      guard case .stream(let id, let own) = output.kind, !output.isOver else { return false }
      return id == url || PublishURL(own)?.broadcast == wanted
    }
    guard let found else { throw TwirpError(.notFound, "remove_output_urls: the egress has no such stream") }
    return found
  }
}

extension LiveKit.EgressInfo.Request {
  /// The request with URLs as others may read them.
  fileprivate var withoutKeys: Self {
    func shown(_ outputs: [LiveKit.StreamOutput]) -> [LiveKit.StreamOutput] { outputs.map(\.withoutKeys) }
    func shown(_ output: LiveKit.EncodedOutput?) -> LiveKit.EncodedOutput? {
      if case .stream(let stream)? = output { .stream(stream.withoutKeys) } else { output }
    }
    switch self {
    case .roomComposite(var request):
      (request.streamOutputs, request.output) = (shown(request.streamOutputs), shown(request.output))
      return .roomComposite(request)
    case .participant(var request):
      request.streamOutputs = shown(request.streamOutputs)
      return .participant(request)
    case .trackComposite(var request):
      (request.streamOutputs, request.output) = (shown(request.streamOutputs), shown(request.output))
      return .trackComposite(request)
    case .track: return self
    case .egress(var request):
      request.outputs = request.outputs.map { output in
        guard case .stream(let stream)? = output.config else { return output }
        var shown = output
        shown.config = .stream(stream.withoutKeys)
        return shown
      }
      return .egress(request)
    }
  }
}

extension LiveKit.StreamOutput {
  fileprivate var withoutKeys: Self {
    var output = self
    output.urls = urls.map(EgressRecord.shown)
    output.destinations = destinations.map { destination in
      LiveKit.StreamDestination { ($0.id, $0.url) = (destination.id, EgressRecord.shown(destination.url)) }
    }
    return output
  }
}
