import RoomLiveKitProtocol

@testable import RoomLiveKitServer

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let liveKitServerFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "packets": fuzzPackets, "agents": fuzzAgents, "join-request": fuzzJoinRequest,
]

/// Feeds the parameter of a client with a single connection.
@Sendable private func fuzzJoinRequest(_ bytes: UnsafeRawBufferPointer) {
  guard let request = try? LiveKit.JoinRequest(parameter: String(decoding: bytes, as: UTF8.self)) else { return }
  precondition(request.addTrackRequests.count <= LiveKit.JoinRequest.mostTracks)
  _ = LiveKitClient(request)
}
