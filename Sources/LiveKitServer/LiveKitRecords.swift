import Logging
import RoomEngine
import RoomLinux
import RoomProtocol
import RoomServer
import RoomToken

/// What the server stores for app servers and agents that use LiveKit's SDKs, and how it describes that to them.
struct LiveKitRecords: WebhookEventSink {
  let egresses: Egresses
  let streamKeys: StreamKeys
  let agents: AgentDispatches
  let webhooks: LiveKitWebhookForm

  /// - Parameter rooms: the open rooms of this node.
  init(
    _ store: any DocumentStore, _ streamKeys: StreamKeys, keys: TokenKeys,
    rooms: Guarded<[RoomName: RoomSummary]> = Guarded([:]), log: Logger
  ) {
    egresses = Egresses(store, log: log)
    self.streamKeys = streamKeys
    agents = AgentDispatches(store, keys: keys, log: log)
    webhooks = LiveKitWebhookForm(keys: keys, egresses: egresses, streamKeys: streamKeys, rooms: rooms)
  }

  /// Receives an event of a room, which may change the records.
  func tell(_ event: WebhookEvent) {
    egresses.tell(event)
    agents.tell(event)
  }

  /// Compares the records with the rooms that the server has restored.
  /// - Parameter isAlone: whether it runs all rooms.
  func restored(_ directory: RoomDirectory, isAlone: Bool) async {
    await egresses.begin(directory, isAlone: isAlone)
    if isAlone { await agents.sweep { await directory.room($0) != nil } }
  }

  /// Returns the services of LiveKit's server API.
  func services(_ directory: RoomDirectory, _ configuration: ServerConfiguration, calls: LiveKitCalls) -> [TwirpService] {
    let egress = EgressService(directory: directory, egresses: egresses)
    let rooms = RoomService(
      directory: directory, limits: configuration.limits, calls: calls, agents: agents,
      settleAgents: { [agents] () throws(TwirpError) in try await agents.settle() },
      startEgress: { (request, name) throws(TwirpError) in try await egress.start(.roomComposite(request), in: name) })
    return [
      rooms.service, egress.service, IngressService(directory: directory, keys: streamKeys).service,
      AgentDispatchService(directory: directory, dispatches: agents, configuration: configuration).service,
    ]
  }
}
