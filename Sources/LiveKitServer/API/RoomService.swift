import Foundation
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// The methods of LiveKit's `RoomService`, on the rooms of this server. They do what the REST API does.
struct RoomService: Sendable {
  let directory: RoomDirectory
  let limits: ServerLimits
  let calls: LiveKitCalls
  let agents: any RoomAgents
  /// Returns once the agents of rooms that are open by now are stored.
  let settleAgents: @Sendable () async throws(TwirpError) -> Void
  /// Starts an egress of everybody in a room.
  let startEgress: @Sendable (LiveKit.RoomCompositeEgressRequest, ForeignName) async throws(TwirpError) -> LiveKit.EgressInfo

  var service: TwirpService {
    TwirpService("livekit.RoomService", methods)
  }

  private var methods: [TwirpMethod] {
    [
      TwirpMethod("CreateRoom", .createRooms, in: \LiveKit.CreateRoomRequest.name, create),
      TwirpMethod("ListRooms", .listRooms, list),
      TwirpMethod("DeleteRoom", .createRooms, in: \LiveKit.DeleteRoomRequest.room, delete),
      TwirpMethod("UpdateRoomMetadata", .manageRoom, in: \LiveKit.UpdateRoomMetadataRequest.room, setMetadata),
      TwirpMethod("ListParticipants", .manageRoom, in: \LiveKit.ListParticipantsRequest.room, participants),
      TwirpMethod("GetParticipant", .manageRoom, in: \LiveKit.RoomParticipantIdentity.room, participant),
      TwirpMethod("RemoveParticipant", .manageRoom, in: \LiveKit.RoomParticipantIdentity.room, remove),
      TwirpMethod("MutePublishedTrack", .manageRoom, in: \LiveKit.MuteRoomTrackRequest.room, mute),
      TwirpMethod("UpdateParticipant", .manageRoom, in: \LiveKit.UpdateParticipantRequest.room, update),
      TwirpMethod("UpdateSubscriptions", .manageRoom, in: \LiveKit.UpdateSubscriptionsRequest.room, subscribe),
      TwirpMethod(
        "ForwardParticipant", .manageRoom, in: \LiveKit.ForwardParticipantRequest.room,
        to: \.destinationRoom, forward),
      TwirpMethod(
        "MoveParticipant", .manageRoom, in: \LiveKit.MoveParticipantRequest.room, to: \.destinationRoom, move),
    ] + RoomDataService(directory: directory, calls: calls).methods
  }

  // MARK: Rooms

  @Sendable private func create(
    _ request: LiveKit.CreateRoomRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.Room {
    guard request.egress?.participant == nil, request.egress?.tracks == nil else {
      throw TwirpError(.unimplemented, "egress: this server starts one of the whole room with it, and none of each participant")
    }
    try checkMetadata(request.metadata)
    var options = RoomSettingsOptions()
    // Zero is the server's default. A value beyond this server's range becomes the nearest, and the answer shows it.
    if request.emptyTimeout > 0 {
      options.emptyTime = .seconds(Int(request.emptyTimeout).clamped(to: API.RoomSettingsUpdate.emptyTimeouts))
    }
    if request.maxParticipants > 0 {
      options.participants = Int(request.maxParticipants).clamped(to: 1...limits.participantsPerRoom)
    }
    let (room, isNew): (Room, Bool)
    let isServed = !request.agents.isEmpty
    if isServed { await agents.announce(request.agents.map { RoomAgent($0) }, for: name) }
    defer { if isServed { agents.withdraw(name.room) } }
    // Its first event has the metadata.
    let attributes = request.metadata.isEmpty ? [:] : [LiveKit.Room.metadataAttribute: request.metadata]
    do throws(RoomError) { (room, isNew) = try await directory.open(name.room, options, attributes: attributes) } catch {
      throw TwirpError(error.redirect == nil ? .resourceExhausted : .unavailable, error.message)
    }
    if isNew, isServed { try await settleAgents() }
    if isNew, var egress = request.egress?.room {
      egress.roomName = request.name
      _ = try await startEgress(egress, name)
    }
    return LiveKit.Room(await room.read { RoomSummary(of: $0) }, name)
  }

  @Sendable private func list(_ request: LiveKit.ListRoomsRequest) async -> LiveKit.ListRoomsResponse {
    let summaries = directory.summaries.withLock(\.self)
    let names = request.names.compactMap { ForeignName($0) }
    let wanted = Dictionary(names.map { ($0.room, $0) }) { first, _ in first }
    let rooms =
      request.names.isEmpty
      ? summaries.values.map { LiveKit.Room($0) }
      : wanted.compactMap { id, name in summaries[id].map { LiveKit.Room($0, name) } }
    return LiveKit.ListRoomsResponse { $0.rooms = rooms.sorted { $0.name < $1.name } }
  }

  @Sendable private func delete(
    _ request: LiveKit.DeleteRoomRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.DeleteRoomResponse {
    await (try await directory.openRoom(name)).close(EndedData(reason: .roomClosed, by: ""))
    await directory.store?.settled()
    return LiveKit.DeleteRoomResponse()
  }

  @Sendable private func setMetadata(
    _ request: LiveKit.UpdateRoomMetadataRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.Room {
    try checkMetadata(request.metadata)
    let room = try await directory.openRoom(name)
    try await setMetadata(request.metadata, of: room)
    return LiveKit.Room(await room.read { RoomSummary(of: $0) }, name)
  }

  private func checkMetadata(_ metadata: String) throws(TwirpError) {
    let most = directory.settings(for: RoomSettingsOptions()).rules.attributeValueBytes
    guard metadata.utf8.count <= most else { throw TwirpError(.invalidArgument, "a room's metadata has \(most) bytes at most") }
  }

  private func setMetadata(_ metadata: String, of room: Room) async throws(TwirpError) {
    let key = LiveKit.Room.metadataAttribute
    let params = metadata.isEmpty ? AttributeParams(remove: [key]) : AttributeParams(set: [key: metadata])
    try await change(room) { room throws(RoomError) in try await room.call(.setAttributes(params)) }
  }

  // MARK: Participants

  @Sendable private func participants(
    _ request: LiveKit.ListParticipantsRequest, _ name: ForeignName
  ) async -> LiveKit.ListParticipantsResponse {
    // LiveKit's list of a missing room is empty.
    let infos = await directory.room(name.room)?.read(\.participants) ?? []
    var roster = LiveKitRoster(room: name.room)
    for info in infos { roster.set(info) }
    return LiveKit.ListParticipantsResponse { $0.participants = infos.compactMap { roster.describe($0.userId) } }
  }

  @Sendable private func participant(
    _ request: LiveKit.RoomParticipantIdentity, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.ParticipantInfo {
    let user = try Self.user(request.identity)
    let (_, info) = try await participant(user, in: name)
    return Self.describe(info, user, in: name)
  }

  @Sendable private func remove(
    _ request: LiveKit.RoomParticipantIdentity, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.RemoveParticipantResponse {
    let user = try Self.user(request.identity)
    if request.revokeTokenTimestamp > 0 {
      let time = Date(timeIntervalSince1970: Double(request.revokeTokenTimestamp))
      directory.revokeTokens(of: user.user, in: name.room, issuedUpTo: time)
      await directory.store?.settled()
    }
    try await change(try await directory.openRoom(name)) { room throws(RoomError) in
      try await room.call(.kick(UserParams(userId: user.user)))
    }
    return LiveKit.RemoveParticipantResponse()
  }

  @Sendable private func mute(
    _ request: LiveKit.MuteRoomTrackRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.MuteRoomTrackResponse {
    let (room, info) = try await participant(try Self.user(request.identity), in: name)
    let id = TrackID(request.trackSID)
    guard info.tracks.contains(where: { $0.trackId == id }) else {
      throw TwirpError(.notFound, "the participant publishes no such track")
    }
    let track = try await change(room) { room throws(RoomError) in
      try await room.call(.mute(MuteParams(trackId: id, muted: request.muted))) as? TrackInfo
    }
    return LiveKit.MuteRoomTrackResponse { $0.track = track.map { LiveKit.TrackInfo($0) } }
  }

  @Sendable private func update(
    _ request: LiveKit.UpdateParticipantRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.ParticipantInfo {
    let user = try Self.user(request.identity)
    let (room, old) = try await participant(user, in: name)
    if let permission = request.permission, permission.hidden != old.grants.contains(.hidden) {
      throw TwirpError(.unimplemented, "permission.hidden: whether a participant is hidden does not change")
    }
    let info = try await change(room) { room throws(RoomError) in
      try await room.perform { core throws(RoomError) in
        let info = try core.changeProfile(of: user.user) {
          $0.merge(name: request.name, metadata: request.metadata, attributes: request.attributes)
        }
        guard let permission = request.permission else { return info }
        return try core.permit(user.user, Permissions(permission, now: old.grants))
      }
    }
    return Self.describe(info, user, in: name)
  }

  @Sendable private func subscribe(
    _ request: LiveKit.UpdateSubscriptionsRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.UpdateSubscriptionsResponse {
    let user = try Self.user(request.identity)
    let (room, _) = try await participant(user, in: name)
    let tracks = (request.trackSIDs + request.participantTracks.flatMap(\.trackSIDs)).map { TrackID($0) }
    try await change(room) { room throws(RoomError) in
      try await room.perform { core throws(RoomError) in
        try core.select(TrackSelection(trackIds: tracks), wanted: request.subscribe, by: user.user)
      }
    }
    return LiveKit.UpdateSubscriptionsResponse()
  }

  @Sendable private func forward(
    _ request: LiveKit.ForwardParticipantRequest, _ name: ForeignName, _ destination: ForeignName
  ) async throws(TwirpError) -> LiveKit.ForwardParticipantResponse {
    let (_, info) = try await participant(try Self.user(request.identity), in: name)
    guard info.kind != .mix, info.kind != .guest, info.kind != .forwarded, !info.grants.contains(.hidden) else {
      throw TwirpError(.failedPrecondition, "the participant publishes no tracks of its own")
    }
    let room = await directory.peer(destination.room)
    guard let room else { throw TwirpError(.notFound, "the destination room does not exist") }
    do throws(RoomError) { try await room.receive(info.userId, from: name.room, info.profile) } catch {
      throw TwirpError(error)
    }
    await directory.store?.settled()
    return LiveKit.ForwardParticipantResponse()
  }

  @Sendable private func move(
    _ request: LiveKit.MoveParticipantRequest, _ name: ForeignName, _ destination: ForeignName
  ) async throws(TwirpError) -> LiveKit.MoveParticipantResponse {
    let (room, info) = try await participant(try Self.user(request.identity), in: name)
    guard destination != name else { throw TwirpError(.invalidArgument, "destination_room: the participant is there") }
    let isOpen: Bool
    do throws(RoomError) { isOpen = try await directory.admits(destination.room) } catch {
      throw TwirpError(.unavailable, error.message)
    }
    guard isOpen else { throw TwirpError(.notFound, "the destination room does not exist") }
    guard ForeignName(id: destination.id) != nil else {
      throw TwirpError(.failedPrecondition, "destination_room: the name is too long to move a participant there")
    }
    try await change(room) { room throws(RoomError) in
      try await room.perform { core throws(RoomError) in try core.move(info.userId, to: destination.room) }
    }
    return LiveKit.MoveParticipantResponse()
  }

  // MARK: Finding

  private static func user(_ identity: String) throws(TwirpError) -> ForeignName {
    guard let name = ForeignName(identity) else {
      throw TwirpError(.invalidArgument, "an identity has 1 to \(ForeignName.maximumBytes) bytes")
    }
    return name
  }

  private func participant(
    _ user: ForeignName, in name: ForeignName
  ) async throws(TwirpError) -> (Room, ParticipantInfo) {
    let room = try await directory.openRoom(name)
    guard let info = await room.read({ $0.participant(user.user) }) else {
      throw TwirpError(.notFound, "participant does not exist")
    }
    return (room, info)
  }

  private static func describe(
    _ info: ParticipantInfo, _ user: ForeignName, in name: ForeignName
  ) -> LiveKit.ParticipantInfo {
    var description = LiveKit.ParticipantInfo(info, in: name.room)
    description.identity = user.text
    return description
  }

  /// Changes a room. Returns once the change is stored.
  @discardableResult
  private func change<Result: Sendable>(
    _ room: Room, _ body: (Room) async throws(RoomError) -> Result
  ) async throws(TwirpError) -> Result {
    do throws(RoomError) {
      let result = try await body(room)
      await directory.store?.settled()
      return result
    } catch { throw TwirpError(error) }
  }
}

extension Int {
  fileprivate func clamped(to range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}

extension RoomAgent {
  fileprivate init(_ agent: LiveKit.RoomAgentDispatch) {
    self.init(name: agent.agentName)
    (metadata, attributes, restarts) = (agent.metadata, agent.attributes, agent.restartPolicy != .never)
  }
}
