import RoomLiveKitProtocol
import RoomProtocol
import RoomSFU

@testable import RoomLiveKitServer

/// Feeds a data packet of a LiveKit client. What is passed on names its real sender, and calls of the room are read.
@Sendable func fuzzPackets(_ bytes: UnsafeRawBufferPointer) {
  let sender = LiveKitPackets.Sender(identity: "ann", sid: "PA_ann", isHidden: false, mayPublish: true)
  let message = DataMessage(label: "_reliable", isReliable: true, payload: Array(bytes))
  var last: UInt32 = 0
  var received = LiveKitPackets.read(message, from: sender, after: &last, user: { _ in "bob" })
  if case .stream(let value, let action) = received {
    var chat = LiveKitChat()
    _ = chat.take(value)
    received = .action(action)
  }
  switch received {
  case .action(.relay(let relayed, _, _)):
    guard let packet = try? LiveKit.DataPacket(protobuf: relayed.payload) else {
      preconditionFailure("a packet is passed on that nobody can read")
    }
    precondition(packet.participantIdentity == "ann" && packet.participantSID == "PA_ann" && packet.kind == .reliable)
    guard case .user(let content) = packet.value else { break }
    precondition(content.participantIdentity == "ann" && content.participantSID == "PA_ann")
  case .roomCall(let rpc): _ = try? SignalCall(rpc)
  case .action, .stream, .none: break
  }
}
