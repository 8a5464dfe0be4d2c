import Foundation
import FoundationNetworking
import RoomClient
import RoomLinkModel
import RoomLossyLink
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("Data of LiveKit's Python SDK, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitDataTests {
    private func join(
      _ server: TestServer, as identity: String, _ connections: LiveKitPeer.Connections = .single,
      _ adjust: (inout LiveKitToken) -> Void = { _ in }
    ) async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(
        server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken(identity, room: "demo", adjust),
        connections)
      try await peer.reaches("\(identity) is connected") { $0.connected }
      return peer
    }

    /// Calls a method of the server API. Returns its status and answer.
    private func twirp(_ server: TestServer, _ method: String, _ json: String) async throws -> (Int, String) {
      var request = URLRequest(url: try #require(URL(string: server.http("/twirp/livekit.RoomService/\(method)"))))
      request.httpMethod = "POST"
      request.httpBody = Data(json.utf8)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      let token = try server.liveKitToken("app", room: "demo") { ($0.grants.roomJoin, $0.grants.roomAdmin) = (false, true) }
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      let (body, response) = try await URLSession.shared.data(for: request)
      return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: body, as: UTF8.self))
    }

    @Test(
      "packets, texts, files and RPC reach the clients that they are for, and the room answers calls",
      arguments: LiveKitPeer.Connections.allCases)
    func data(connections: LiveKitPeer.Connections) async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann+x", connections)
        let bob = try await join(server, as: "bob", connections)
        let carl = try await join(server, as: "carl") { $0.grants.canPublishData = false }
        try ann.tell("data reliable all chat hello")
        // A lossy packet before a receiver's channels are open would be lost.
        for peer in [bob, carl] { try await peer.reaches("the first packet") { $0.data.count == 1 } }
        try ann.tell("data lossy all pose 1 2 3")
        try ann.tell("data reliable bob chat for bob")
        try await bob.reaches("bob gets three packets") { $0.data.count == 3 }
        typealias Packet = LiveKitPeer.Packet
        let sent = [
          Packet(topic: "chat", text: "hello", sender: "ann+x", reliable: true),
          Packet(topic: "pose", text: "1 2 3", sender: "ann+x", reliable: false),
          Packet(topic: "chat", text: "for bob", sender: "ann+x", reliable: true),
        ]
        #expect(sent.allSatisfy { bob.state?.data.contains($0) == true })
        try await carl.reaches("carl gets two") { $0.data.count == 2 }
        // His own packets go nowhere.
        try carl.tell("data reliable all chat not permitted")
        try await eventually("it is refused", within: .seconds(10)) {
          try await server.metric("roomserver_data_refused_total") == 1
        }

        try ann.tell("text " + String(repeating: "long ", count: 6000))
        try await bob.reaches("the text arrives") { $0.texts.first?.sender == "ann+x" && $0.texts[0].text.utf8.count > 29_000 }
        try ann.tell("file 1000000")
        try await bob.reaches("the file arrives") { $0.files["ann+x"]?.size == 1_000_000 }
        try await carl.reaches("at both") { $0.files["ann+x"]?.size == 1_000_000 }
        #expect(bob.state?.files["ann+x"] == ann.state?.files["me"] && carl.state?.files["ann+x"] == ann.state?.files["me"])

        try ann.tell("rpc bob echo hello")
        try ann.tell("rpc bob fail x")
        try ann.tell("rpc bob missing x")
        try await ann.reaches("bob's answers") { $0.answers.count == 3 }
        #expect(ann.state?.answers.map { $0.payload ?? "\($0.code ?? 0)" } == ["ann+x hello", "777", "1400"])
        try ann.tell("times bob 20")
        try await ann.reaches("the times of calls") { $0.answers.count == 4 }
        let times = try #require(ann.state?.answers.last)
        print("RPC between two LiveKit clients: median \(times.median ?? 0) ms, longest \(times.longest ?? 0) ms")
        #expect((times.median ?? 1000) < 200)

        _ = try await twirp(server, "SendData", #"{"room": "demo", "data": "aGk=", "kind": "RELIABLE", "topic": "server"}"#)
        for peer in [ann, bob, carl] {
          try await peer.reaches("the server's packet") {
            $0.data.last == Packet(topic: "server", text: "hi", sender: "", reliable: true)
          }
        }
        let call = #"{"room": "demo", "destination_identity": "bob", "payload": "p", "method": "#
        let (status, answer) = try await twirp(server, "PerformRpc", call + #""echo"}"#)
        #expect(status == 200 && answer.contains("@room p"), "\(answer)")
        let (failed, error) = try await twirp(server, "PerformRpc", call + #""fail"}"#)
        #expect(failed == 412 && error.contains(#""rpc_code":"777""#), "\(error)")
      }
    }

    @Test("an unmodified client takes a seat by RPC to the room; others see it as an attribute and an event")
    func room() async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann") { $0.grants.roomAdmin = true }
        let bob = try await join(server, as: "bob")
        try bob.tell(#"rpc @room takeSeat {"index": 1}"#)
        try await bob.reaches("bob has the seat") {
          $0.answers.last?.payload == #"{"index":1}"# && $0.me.attributes["seat"] == "1"
        }
        try await ann.reaches("ann sees it") {
          $0.others["bob"]?.attributes["seat"] == "1"
            && $0.data.contains { $0.topic == "room" && $0.text.contains("seatChanged") && $0.sender.isEmpty }
        }
        try bob.tell(#"rpc @room setAttributes {"set": {"topic": "x"}}"#)
        try await bob.reaches("that is for administrators") { $0.answers.last?.code == 10003 }
        try ann.tell(#"rpc @room setAttributes {"set": {"metadata": "by rpc"}}"#)
        for peer in [ann, bob] { try await peer.reaches("the room's metadata") { $0.metadata == "by rpc" } }
        try ann.tell("rpc @room getState")
        try await ann.reaches("the state") { $0.answers.last?.payload?.contains(#""seats""#) == true }
        for method in ["leave", "publish", "nothing"] { try ann.tell("rpc @room \(method)") }
        try await ann.reaches("no such methods") { $0.answers.suffix(3).map(\.code) == [10001, 10001, 10001] }
        try bob.tell("rpc @room leaveSeat")
        try await ann.reaches("the seat is free") { $0.others["bob"]?.attributes["seat"] == nil }
      }
    }

    @Test("texts of LiveKit's chat are messages of the room, and the other way round") func chat() async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann")
        let bob = try await join(server, as: "bob")
        let swift = try await Room.connect(to: server.url, token: try await server.token(user: "swift", room: "demo"))
        try ann.tell("chat hello everybody")
        try await bob.reaches("bob reads it") {
          $0.texts == [LiveKitPeer.Text(sender: "ann", text: "hello everybody")]
        }
        try await eventually("the RoomClient reads it") {
          swift.snapshot?.messages.contains { $0.userId == "ann" && $0.text == "hello everybody" } == true
        }
        try await swift.messages.send("hello to both")
        for peer in [ann, bob] {
          try await peer.reaches("the RoomClient's text") {
            $0.texts.last == LiveKitPeer.Text(sender: "swift", text: "hello to both")
          }
        }
        // A longer one is no message; LiveKit's clients read it all the same.
        try ann.tell("chat " + String(repeating: "long ", count: 1000))
        try await bob.reaches("a long text") { ($0.texts.last?.text.utf8.count ?? 0) > 4096 }
        #expect(ann.state?.texts.count == 1 && swift.snapshot?.messages.count == 2)
        await swift.leave()
      }
    }

    @Test("packets cross between a client and a RoomClient") func mixed() async throws {
      try await withServer { server in
        let token = try await server.token(user: "ann", room: "demo")
        let ann = try await Room.connect(to: server.url, token: token, options: RoomOptions(data: true))
        let bob = try await join(server, as: "bob+x")
        let received = Task { await ann.data.messages().first { _ in true } }
        try await ann.data.send(Array("from ann".utf8), topic: "chat")
        try await bob.reaches("ann's message") {
          $0.data == [LiveKitPeer.Packet(topic: "chat", text: "from ann", sender: "ann", reliable: true)]
        }
        try bob.tell("data lossy ann pose 1 2 3")
        let message = try #require(await received.value)
        #expect(message.userId == ":bob:2Bx" && message.topic == "pose" && message.payload == Array("1 2 3".utf8))
        #expect(!message.isReliable)
        await ann.leave()
      }
    }

    @Test("through 5 % of loss a file arrives whole, and lossy packets nearly all", .timeLimit(.minutes(2)))
    func loss() async throws {
      // The server announces an address at which the link is.
      try await withServer(adjust: { $0.media.announced = ["127.0.0.2"] }) { server in
        let conditions = LinkConditions(loss: 0.05, delay: 10_000)
        let links = try server.mediaPorts.enumerated().map { index, port in
          try LossyLink(
            to: port, on: 0x7F00_0002, port: port, toTarget: conditions, toClient: conditions, seed: UInt64(index + 5))
        }
        let ann = try await join(server, as: "ann")
        let bob = try await join(server, as: "bob")
        let start = ContinuousClock.now
        try ann.tell("file 1000000")
        try await bob.reaches("the file arrives") { $0.files["ann"]?.size == 1_000_000 }
        print("1 MB through 5 % of loss each way: \(ContinuousClock.now - start)")
        #expect(bob.state?.files["ann"] == ann.state?.files["me"])
        try ann.tell("flood 400 200")
        try ann.tell("data reliable all end x")
        try await bob.reaches("the end") { $0.data.contains { $0.topic == "end" } }
        let arrived = try #require(bob.state?.flooded)
        print("lossy packets that arrived: \(arrived) of 400")
        #expect(links.reduce(0) { $0 + $1.counters(.toTarget).lost } > 20, "the link loses")
        #expect((300..<400).contains(arrived))
      }
    }
  }
}
