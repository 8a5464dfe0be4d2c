import RoomProtocol
import RoomTestSupport
import Testing

@Suite("Invalid messages")
struct MessageTests {
  @Test(
    "JSON that is not a request is answered with 10001, and the socket stays open",
    arguments: [
      "", "{", "[]", "7", "null", "{}", #"{"id":1000}"#, #"{"method":"ping"}"#, #"{"id":"x","method":"ping"}"#,
      #"{"id":1e99,"method":"ping"}"#, #"{"id":1000,"method":"publish"}"#, "\u{FEFF}{}", String(repeating: "[", count: 30000),
    ])
  func malformed(message: String) async throws {
    try await TestServer.with { server in
      let client = try await server.connect()
      client.send(message)
      #expect(try await client.nextError().code == .unknownMessage)
      #expect(try await client.error(of: .ping) == nil)
    }
  }

  @Test("an unknown method is 10001 under the request's id")
  func unknownMethod() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      #expect(try await alice.error(of: .unknown("fly"))?.code == .unknownMessage)
      #expect(try await alice.error(of: .ping) == nil)
    }
  }

  @Test("a message over 256 KiB gets an error and closes the socket, whole or in fragments")
  func tooLarge() async throws {
    try await TestServer.with { server in
      let whole = try await server.connect()
      whole.send(Frame(opcode: 1, payload: [UInt8](repeating: 32, count: 262_145)))
      #expect(try await whole.nextError().code == .unknownMessage)
      #expect(try await whole.closed() == 1009)

      let fragments = try await server.connect()
      fragments.send(Frame(opcode: 1, isFinal: false, payload: [UInt8](repeating: 32, count: 140_000)))
      fragments.send(Frame(opcode: 0, isFinal: true, payload: [UInt8](repeating: 32, count: 140_000)))
      #expect(try await fragments.nextError().code == .unknownMessage)
      #expect(try await fragments.closed() == 1009)
    }
  }

  @Test("a message in fragments is received as one")
  func fragments() async throws {
    try await TestServer.with { server in
      let client = try await server.connect()
      client.send(Frame(opcode: 1, isFinal: false, payload: Array(#"{"id":1,"#.utf8)))
      client.send(Frame(opcode: 9, payload: []))
      client.send(Frame(opcode: 0, isFinal: true, payload: Array(#""method":"nonsense"}"#.utf8)))
      try await client.pong()
      #expect(try await client.closed() == 1008)
    }
  }

  @Test("binary, unmasked and broken frames close the socket")
  func badFrames() async throws {
    try await TestServer.with { server in
      let binary = try await server.connect()
      binary.send(Frame(opcode: 2, payload: [1]))
      #expect(try await binary.closed() == 1003)

      let unmasked = try await server.connect()
      unmasked.wire.send(Frame(opcode: 1, payload: Array("{}".utf8)).bytes(masked: false))
      #expect(try await unmasked.closed() == 1002)

      let reserved = try await server.connect()
      reserved.send(Frame(opcode: 5, payload: []))
      #expect(try await reserved.closed() == 1002)

      let continued = try await server.connect()
      continued.send(Frame(opcode: 0, payload: []))
      #expect(try await continued.closed() == 1002)
    }
  }

  @Test("random and mutated frames do no harm, and leave nothing behind")
  func fuzz() async throws {
    try await TestServer.with { server in
      let bystander = try await server.join("bystander")
      var generator = SeededGenerator(seed: 5)
      let token = try server.token("mallory")
      for round in 0..<150 {
        let client = try await server.connect()
        let join = Frame(
          opcode: 1, payload: Array(#"{"id":1,"method":"join","params":{"version":1,"token":"\#(token)"}}"#.utf8))
        var bytes = join.bytes(masked: true)
        if round.isMultiple(of: 2) {
          client.wire.send(bytes)
          bytes = Frame(opcode: 1, payload: Array(#"{"id":2,"method":"publish","params":{"sdp":"v=0","tracks":[]}}"#.utf8))
            .bytes(masked: true)
        }
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
        }
        client.wire.send(bytes)
        client.kill()
      }
      #expect(try await bystander.error(of: .ping) == nil)
      try await eventually("the sockets are gone") { try await server.metric("roomserver_signalling_sockets") == 1 }
    }
  }

  @Test("a client that does not read is closed, and does not delay the others")
  func slowClient() async throws {
    try await TestServer.with({
      $0.limits.outgoingBytes = 300_000
      $0.limits.messageBurst = 100_000
    }) { server in
      let slow = try await server.connect()
      try await slow.join(try server.token("slow"))
      try await slow.wire.freeze()
      // Answers of at least 100 bytes each, until socket buffers and the server's limit are full.
      let request = Frame(opcode: 1, payload: Array(#"{"id":1,"method":"\#(String(repeating: "x", count: 64))"}"#.utf8)).bytes(
        masked: true)
      let sender = Task {
        while !Task.isCancelled && !slow.wire.isClosed {
          for _ in 0..<200 { slow.wire.send(request) }
          try? await Task.sleep(for: .milliseconds(2))
        }
      }
      try await eventually("the slow client is noticed", within: .seconds(60)) {
        try await server.metric(#"roomserver_limits_hit_total{limit="slow_client"}"#) == 1
      }
      sender.cancel()
      try await eventually("its socket is gone") { try await server.metric("roomserver_signalling_sockets") == 0 }
      slow.kill()
      let other = try await server.join("other")
      #expect(try await other.error(of: .ping) == nil)
    }
  }

  @Test("a client that reads is not closed, whatever the total it is sent")
  func longSession() async throws {
    try await TestServer.with({
      $0.limits.outgoingBytes = 16_384
      $0.limits.messageBurst = 100_000
    }) { server in
      let client = try await server.join("host")
      // Each answer in flight counts with its bytes and 256 more: 15 times the limit in total.
      for _ in 0..<900 { #expect(try await client.error(of: .ping) == nil) }
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="slow_client"}"#) == 0)
    }
  }

  @Test("a fast client is read at the rate that the limit allows")
  func pace() async throws {
    try await TestServer.with({
      $0.limits.messageBurst = 5
      $0.limits.messagesPerSecond = 20
    }) { server in
      let alice = try await server.join("alice")
      let start = ContinuousClock.now
      for _ in 0..<15 { alice.send(#"{"id":1000,"method":"nonsense"}"#) }
      for _ in 0..<15 { #expect(try await alice.nextError().code == .unknownMessage) }
      #expect(ContinuousClock.now - start > .milliseconds(400))
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="message_rate"}"#) > 0)
    }
  }
}
