import Foundation
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomSFU
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

@Suite("LiveKit's data packets")
struct LiveKitPacketTests {
  private static let ann = LiveKitPackets.Sender(identity: "ann+x", sid: "PA_ann", isHidden: false, mayPublish: true)

  private func read(
    _ packet: LiveKit.DataPacket, from sender: LiveKitPackets.Sender = ann, isReliable: Bool = true, label: String? = nil
  ) -> LiveKitPackets.Received {
    read(packet.protobuf, from: sender, isReliable: isReliable, label: label)
  }

  private func read(
    _ bytes: [UInt8], from sender: LiveKitPackets.Sender = ann, isReliable: Bool = true, label: String? = nil
  ) -> LiveKitPackets.Received {
    var last: UInt32 = 0
    return read(bytes, from: sender, isReliable: isReliable, label: label, after: &last)
  }

  private func read(
    _ bytes: [UInt8], from sender: LiveKitPackets.Sender = ann, isReliable: Bool = true, label: String? = nil,
    after last: inout UInt32
  ) -> LiveKitPackets.Received {
    LiveKitPackets.read(
      DataMessage(label: label ?? (isReliable ? "_reliable" : "_lossy"), isReliable: isReliable, payload: bytes), from: sender,
      after: &last, user: { $0 == "PA_bob" ? "bob" : nil })
  }

  private func relayed(_ received: LiveKitPackets.Received) throws -> (packet: LiveKit.DataPacket, users: [UserID]?) {
    var received = received
    if case .stream(_, let action) = received { received = .action(action) }
    guard case .action(.relay(let message, _, let users)) = received else {
      Issue.record("\(received)")
      throw MessageError.malformed
    }
    return (try LiveKit.DataPacket(protobuf: message.payload), users)
  }

  @Test("a reliable packet that a client repeats after it resumed has no effect; others count") func repeated() throws {
    var last: UInt32 = 0
    let packets: [(UInt32, Bool, Bool)] = [
      (1, true, true), (2, true, true), (2, true, false), (1, true, false), (2, false, true), (0, true, true), (4, true, true),
    ]
    for (sequence, isReliable, passes) in packets {
      let received = read(user { packet, _ in packet.sequence = sequence }.protobuf, isReliable: isReliable, after: &last)
      #expect(isIgnored(received) == !passes, "\(sequence)")
    }
    #expect(last == 4)
  }

  private func isRefused(_ received: LiveKitPackets.Received) -> Bool {
    if case .action(.refuse) = received { true } else { false }
  }

  private func isIgnored(_ received: LiveKitPackets.Received) -> Bool { if case .none = received { true } else { false } }

  private func user(_ adjust: (inout LiveKit.DataPacket, inout LiveKit.UserPacket) -> Void = { _, _ in }) -> LiveKit.DataPacket
  {
    var packet = LiveKit.DataPacket()
    var content = LiveKit.UserPacket { ($0.payload, $0.topic) = ([1, 2], "t") }
    adjust(&packet, &content)
    packet.value = .user(content)
    return packet
  }

  @Test("whom a packet comes from is not what its sender says") func sender() throws {
    let forged = user { packet, content in
      (packet.participantIdentity, packet.participantSID, packet.sequence) = ("bob", "PA_bob", 7)
      (content.participantIdentity, content.participantSID) = ("bob", "PA_bob")
    }
    let (packet, users) = try relayed(read(forged, isReliable: false))
    #expect(users == nil && packet.kind == .lossy && packet.sequence == 7)
    #expect(packet.participantIdentity == "ann+x" && packet.participantSID == "PA_ann")
    guard case .user(let content) = packet.value else {
      Issue.record("\(packet)")
      return
    }
    #expect(content.payload == [1, 2] && content.topic == "t")
    #expect(content.participantIdentity == "ann+x" && content.participantSID == "PA_ann")

    var hidden = Self.ann
    hidden.isHidden = true
    let (unnamed, _) = try relayed(read(forged, from: hidden))
    #expect(unnamed.participantIdentity.isEmpty && unnamed.participantSID.isEmpty)
    guard case .user(let content) = unnamed.value else { return }
    #expect(content.participantIdentity.isEmpty && content.participantSID.isEmpty)
  }

  @Test("contents that this server does not know pass as they are") func unknown() throws {
    // A field 19 with the bytes 9, 9, after a participant that is not the sender.
    let bytes: [UInt8] = LiveKit.DataPacket { $0.participantIdentity = "bob" }.protobuf + [0x9A, 0x01, 0x02, 9, 9]
    guard case .action(.relay(let message, _, let users)) = read(bytes) else {
      Issue.record("not passed on")
      return
    }
    #expect(users == nil && message.isReliable)
    #expect(message.payload.suffix(5) == [0x9A, 0x01, 0x02, 9, 9])
    #expect(try LiveKit.DataPacket(protobuf: message.payload).participantIdentity == "ann+x")
    let encrypted = LiveKit.DataPacket {
      $0.value = .encryptedPacket(LiveKit.EncryptedPacket { $0.encryptedValue = [1, 2, 3] })
      $0.destinationIdentities = ["bob", "carl+y"]
    }
    let (packet, receivers) = try relayed(read(encrypted))
    #expect(receivers == ["bob", ":carl:2By"] && packet.value == encrypted.value)
  }

  @Test("receivers are named by identity or sid; unknown ones get nothing") func receivers() throws {
    #expect(try relayed(read(user { packet, _ in packet.destinationIdentities = ["bob"] })).users == ["bob"])
    #expect(try relayed(read(user { _, content in content.destinationIdentities = ["bob"] })).users == ["bob"])
    #expect(try relayed(read(user { _, content in content.destinationSIDs = ["PA_bob"] })).users == ["bob"])
    #expect(try relayed(read(user { _, content in content.destinationSIDs = ["PA_none"] })).users == [])
  }

  @Test("packets that are not permitted, malformed, too long or the server's own are refused") func refused() {
    var silent = Self.ann
    silent.mayPublish = false
    #expect(isRefused(read(user(), from: silent)))
    #expect(isRefused(read([0xFF])))
    #expect(isRefused(read(user { _, content in content.payload = [UInt8](repeating: 0, count: 65_536) })))
    #expect(isRefused(read(LiveKit.DataPacket { $0.value = .speaker(LiveKit.ActiveSpeakerUpdate()) })))
    // Other channels carry other things.
    #expect(isIgnored(read(user(), label: "_data_track")) && isIgnored(read(user(), isReliable: false, label: "_reliable")))
  }

  @Test("calls and answers to the room need no permission to send data") func room() {
    var silent = Self.ann
    silent.mayPublish = false
    let request = LiveKit.RPCRequest { ($0.id, $0.method, $0.payload) = ("1", "takeSeat", #"{"index": 2}"#) }
    let call = LiveKit.DataPacket { ($0.destinationIdentities, $0.value) = (["@room"], .rpcRequest(request)) }
    guard case .roomCall(let rpc) = read(call, from: silent) else {
      Issue.record("no call")
      return
    }
    #expect(rpc == request)
    let answer = LiveKit.RPCResponse { ($0.requestID, $0.value) = ("2", .payload("x")) }
    let response = LiveKit.DataPacket { ($0.destinationIdentities, $0.value) = (["@room"], .rpcResponse(answer)) }
    guard case .action(.answered(let read)) = read(response, from: silent) else {
      Issue.record("no answer")
      return
    }
    #expect(read == answer)
  }

  @Test("an RPC is a call of signalling; those of media and sessions are not for RPC") func calls() throws {
    func call(_ method: String, _ payload: String = "") throws -> SignalCall {
      try SignalCall(LiveKit.RPCRequest { ($0.method, $0.payload) = (method, payload) })
    }
    #expect(try call("takeSeat", #"{"index": 2}"#) == SignalCall(method: "takeSeat", params: #"{"index": 2}"#))
    #expect(try call("leaveSeat").method == "leaveSeat")
    for method in ["leave", "join", "publish", "answer", "ping", "nothing", ""] {
      #expect(throws: RoomError.self, "\(method)") { try call(method) }
    }
    for payload in ["[]", "x", #"{"index": "two"}"#, String(repeating: " ", count: 15_361)] {
      #expect(throws: RoomError.self) { try call("takeSeat", payload) }
    }
    #expect(throws: RoomError.self) {
      try SignalCall(LiveKit.RPCRequest { ($0.method, $0.compressedPayload) = ("leaveSeat", [1]) })
    }
  }

  @Test("answers have the JSON of the result or the stable code") func answers() throws {
    func response(_ result: Result<any Encodable & Sendable, RoomError>) throws -> LiveKit.RPCResponse.Value? {
      let packet = try LiveKit.DataPacket(protobuf: LiveKitPackets.answer(to: "7", result).payload)
      guard case .rpcResponse(let response) = packet.value, response.requestID == "7" else { return nil }
      return response.value
    }
    #expect(try response(.success(["index": 2])) == .payload(#"{"index":2}"#))
    guard case .error(let error) = try response(.failure(RoomError(.noPermission, "no"))) else {
      Issue.record("no error")
      return
    }
    #expect(error.code == 10003 && error.message == "no")
    guard case .error(let long) = try response(.success(String(repeating: "x", count: 20_000))) else {
      Issue.record("no error")
      return
    }
    #expect(long.code == 1504)
  }

  @Test("only the client that was called answers a call, once, and in time") func serverCalls() async throws {
    let calls = LiveKitCalls()
    let outcome = await calls.perform(by: "bob", in: "demo", within: .seconds(10)) { id in
      func reply(_ text: String) -> LiveKit.RPCResponse {
        LiveKit.RPCResponse { ($0.requestID, $0.value) = (id, .payload(text)) }
      }
      calls.answer(reply("forged"), by: "eve", in: "demo")
      calls.answer(reply("other room"), by: "bob", in: "other")
      calls.answer(reply("true"), by: "bob", in: "demo")
      calls.answer(reply("late"), by: "bob", in: "demo")
      return true
    }
    guard case .answered(let answer) = outcome,
      case .noAnswerInTime = await calls.perform(by: "bob", in: "demo", within: .milliseconds(10), { _ in true }),
      case .notSent = await calls.perform(by: "bob", in: "demo", within: .seconds(10), { _ in false })
    else {
      Issue.record("\(outcome)")
      return
    }
    #expect(answer.value == .payload("true"))
  }
}

extension SignalCall {
  /// A call with parameters as JSON.
  fileprivate init(method: String, params: String) throws {
    self = try SignalRequest.decode(#"{"id": 1, "method": "\#(method)", "params": \#(params)}"#.utf8).call
  }
}
