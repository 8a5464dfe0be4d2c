import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// The methods of LiveKit's `RoomService` that send data to its clients.
struct RoomDataService: Sendable {
  let directory: RoomDirectory
  let calls: LiveKitCalls

  /// Milliseconds for which a call waits for its answer, without a time in the request, and at most.
  private static let (patience, mostPatience) = (10_000, 30_000)

  var methods: [TwirpMethod] {
    [
      TwirpMethod("SendData", .manageRoom, in: \LiveKit.SendDataRequest.room, send),
      TwirpMethod("PerformRpc", .manageRoom, in: \LiveKit.PerformRPCRequest.room, call),
    ]
  }

  @Sendable private func send(
    _ request: LiveKit.SendDataRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.SendDataResponse {
    guard request.data.count < LiveKitPackets.maximumBytes else {
      throw TwirpError(.invalidArgument, "data has fewer than \(LiveKitPackets.maximumBytes) bytes")
    }
    let room = try await directory.openRoom(name)
    var users = request.destinationIdentities.compactMap { ForeignName($0)?.user }
    if !request.destinationSIDs.isEmpty {
      var roster = LiveKitRoster(room: name.room)
      for info in await room.read(\.participants) { roster.set(info) }
      users += request.destinationSIDs.compactMap { roster.user($0) }
    }
    let isAddressed = !request.destinationIdentities.isEmpty || !request.destinationSIDs.isEmpty
    let content = DataContent(topic: request.topic ?? "", payload: request.data)
    await room.send { [users] in
      $0.messages(content, isReliable: request.kind != .lossy, from: nil, to: isAddressed ? users : nil)
    }
    return LiveKit.SendDataResponse()
  }

  @Sendable private func call(
    _ request: LiveKit.PerformRPCRequest, _ name: ForeignName
  ) async throws(TwirpError) -> LiveKit.PerformRPCResponse {
    guard let user = ForeignName(request.destinationIdentity)?.user, !request.method.isEmpty,
      request.method.utf8.count <= 64, request.payload.utf8.count <= LiveKitPackets.maximumCall
    else {
      throw TwirpError(
        .invalidArgument,
        "a call has a destination_identity, a method of 1 to 64 bytes, and a payload of at most \(LiveKitPackets.maximumCall)")
    }
    let room = try await directory.openRoom(name)
    guard await room.read({ $0.participant(user) }) != nil else { throw TwirpError(.notFound, "participant does not exist") }
    let wanted = Int(request.responseTimeoutMilliseconds)
    let patience = wanted == 0 ? Self.patience : min(wanted, Self.mostPatience)
    let outcome = await calls.perform(by: user, in: room.name, within: .milliseconds(patience)) { id in
      let call = LiveKit.RPCRequest {
        $0.id = id
        $0.method = request.method
        $0.payload = request.payload
        $0.responseTimeoutMilliseconds = UInt32(patience)
        $0.version = 1
      }
      return await room.send { $0.messages(LiveKitPackets.call(call), in: LiveKitFormat(), to: [user]) } > 0
    }
    switch outcome {
    case .answered(let response): return try Self.result(of: response)
    case .noAnswerInTime: throw TwirpError(.deadlineExceeded, "the participant did not answer in time")
    case .notSent: throw TwirpError(.failedPrecondition, "the participant has no data channels")
    case .tooManyCalls: throw TwirpError(.resourceExhausted, "too many calls wait for their answers")
    }
  }

  private static func result(of response: LiveKit.RPCResponse) throws(TwirpError) -> LiveKit.PerformRPCResponse {
    switch response.value {
    case .payload(let payload): return LiveKit.PerformRPCResponse { $0.payload = payload }
    case .error(let error):
      throw TwirpError(.failedPrecondition, error.message, meta: ["rpc_code": "\(error.code)", "rpc_data": error.data])
    case .compressedPayload: throw TwirpError(.unimplemented, "the answer is compressed")
    // An empty text is not written.
    case nil: return LiveKit.PerformRPCResponse()
    }
  }

}
