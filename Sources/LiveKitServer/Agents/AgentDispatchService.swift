import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// The methods of LiveKit's `AgentDispatchService`.
struct AgentDispatchService: Sendable {
  /// The maximum size of a dispatch's metadata and attributes in bytes.
  private static let maximumBytes = 32 * 1024

  let directory: RoomDirectory
  let dispatches: AgentDispatches
  let configuration: ServerConfiguration

  var service: TwirpService {
    TwirpService(
      "livekit.AgentDispatchService",
      [
        TwirpMethod("CreateDispatch", .manageRoom, in: \LiveKit.CreateAgentDispatchRequest.room, create),
        TwirpMethod("DeleteDispatch", .manageRoom, in: \LiveKit.DeleteAgentDispatchRequest.room, delete),
        TwirpMethod("ListDispatch", .manageRoom, in: \LiveKit.ListAgentDispatchRequest.room, list),
      ])
  }

  @Sendable private func create(
    _ request: LiveKit.CreateAgentDispatchRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.AgentDispatch {
    let attributes = request.attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard request.metadata.utf8.count + attributes <= Self.maximumBytes else {
      throw TwirpError(.invalidArgument, "metadata, attributes: at most \(Self.maximumBytes) bytes together")
    }
    let room = try await room(name)
    var dispatch = AgentDispatch(
      agent: request.agentName, room: room.name, roomName: name.text, session: room.session, createdAt: WebhookEvent.now())
    (dispatch.metadata, dispatch.attributes) = (request.metadata, request.attributes)
    (dispatch.deployment, dispatch.restarts) = (request.deployment, request.restartPolicy != .never)
    return try await dispatches.add(dispatch, people: await room.read(\.participants)).info
  }

  /// Returns the room. Opens it if joins may do so.
  private func room(_ name: ForeignName) async throws(TwirpError) -> Room {
    guard configuration.autoCreateRooms else { return try await directory.openRoom(name) }
    if let room = await directory.room(name.room) { return room }
    do throws(RoomError) {
      let options = RoomSettingsOptions(emptyTime: configuration.rooms.autoCreatedEmptyTime)
      return try await directory.open(name.room, options).room
    } catch { throw TwirpError(error.redirect == nil ? .resourceExhausted : .unavailable, error.message) }
  }

  @Sendable private func delete(
    _ request: LiveKit.DeleteAgentDispatchRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.AgentDispatch {
    guard let dispatch = try await dispatches.delete(request.dispatchID, in: name.room) else {
      throw TwirpError(.notFound, "dispatch does not exist")
    }
    var info = dispatch.info
    info.state?.deletedAt = AgentJob.nanoseconds(WebhookEvent.now())
    return info
  }

  @Sendable private func list(
    _ request: LiveKit.ListAgentDispatchRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.ListAgentDispatchResponse {
    _ = try await directory.openRoom(name)
    let all = try await dispatches.dispatches(of: name.room)
    return LiveKit.ListAgentDispatchResponse {
      $0.agentDispatches = all.filter { request.dispatchID.isEmpty || $0.id == request.dispatchID }.map(\.info)
    }
  }
}
