import Foundation
import RoomFuzzSupport
import RoomLiveKitProtocol

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let liveKitFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "livekit-signal": {
    fuzzProtobuf($0, LiveKit.SignalRequest.self, LiveKit.SignalResponse.self, LiveKit.WrappedJoinRequest.self)
  },
  "livekit-data": { fuzzProtobuf($0, LiveKit.DataPacket.self, LiveKit.RoutedPacket.self) },
  "livekit-calls": {
    fuzzProtobuf($0, LiveKit.CreateRoomRequest.self, LiveKit.EgressInfo.self, LiveKit.UpdateIngressRequest.self)
  },
  "livekit-agents": { fuzzProtobuf($0, LiveKit.WorkerMessage.self, LiveKit.ServerMessage.self) },
  "livekit-signal-json": { fuzzJSON($0, LiveKit.SignalRequest.self, LiveKit.JoinRequest.self) },
  "livekit-calls-json": {
    fuzzJSON($0, LiveKit.CreateRoomRequest.self, LiveKit.EgressInfo.self, LiveKit.IngressInfo.self, LiveKit.WebhookEvent.self)
  },
]

/// What is read is written, and is then read as the same message.
private func fuzzProtobuf(_ bytes: UnsafeRawBufferPointer, _ types: any Message.Type...) {
  for type in types { readAgain(Array(bytes), as: type) }
}

private func readAgain<M: Message>(_ bytes: [UInt8], as type: M.Type) {
  guard let message = try? M(protobuf: bytes) else { return }
  let written = message.protobuf
  // NaN differs from itself, so the second form is compared.
  let limits = MessageLimits(bytes: .max, elements: .max, depth: 16)
  guard let again = try? M(protobuf: written, limits: limits) else { preconditionFailure("what is written can be read") }
  precondition(again.protobuf == written)
  readJSONAgain(message)
}

/// What is read is written in both styles, and is then read as the same message.
private func fuzzJSON(_ bytes: UnsafeRawBufferPointer, _ types: any Message.Type...) {
  for type in types { readJSON(Data(bytes), as: type) }
}

private func readJSON<M: Message>(_ text: Data, as type: M.Type) {
  if let message = try? M(json: text) { readJSONAgain(message) }
}

private func readJSONAgain<M: Message>(_ message: M) {
  let limits = MessageLimits(bytes: .max, elements: .max, depth: 16)
  for style in [JSONStyle.twirp, .webhook] {
    let written = message.json(style)
    guard let again = try? M(json: Data(written), limits: limits) else { preconditionFailure("what is written can be read") }
    precondition(again.json(style) == written)
  }
}
