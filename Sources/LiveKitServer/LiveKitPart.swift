import RoomHTTPServer
import RoomServer

/// The entry points of LiveKit's clients, app servers and agents.
struct LiveKitPart: ServerPart {
  let doors: [any SocketDoor]
  private let records: LiveKitRecords
  private let api: LiveKitAPI
  private let dispatching: Task<Void, Never>

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let records = try await assembly.part(LiveKitRecordsPart.self).records
    let entrance = try await assembly.part(EntrancePart.self).entrance
    let (directory, calls, agents) = (entrance.directory, LiveKitCalls(), records.agents)
    let isAlone = try await assembly.neighbours.ownership == nil
    let services = records.services(directory, assembly.ground.configuration, calls: calls)
    if !isAlone { await agents.shareWorkers() }
    let dispatching = Task { await agents.run(directory) }
    await records.restored(directory, isAlone: isAlone)
    return Self(
      doors: [
        LiveKitDoor(entrance: entrance, calls: calls, agents: agents, routing: try await assembly.routing),
        AgentDoor(entrance: entrance, dispatches: agents, mirrors: try await assembly.routing.mirrors),
      ],
      records: records, api: LiveKitAPI(entrance: entrance, services: services), dispatching: dispatching)
  }

  var endpoints: [Endpoint] { api.endpoints }

  func addMetrics(to text: inout PrometheusText) async {
    records.egresses.addMetrics(to: &text)
    await records.agents.addMetrics(to: &text)
  }

  func quiesce() async { await records.agents.stop() }

  func stop() async { dispatching.cancel() }
}

/// The parts for users of LiveKit's SDKs.
package let liveKitParts: [any ServerPart.Type] = [LiveKitRecordsPart.self, LiveKitPart.self]
