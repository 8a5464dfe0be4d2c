import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomRTMP

@Suite struct HandshakeTests {
  private var generator = SeededGenerator(seed: 5)

  /// Runs both handshakes with pieces of `step` bytes.
  private mutating func shake(
    withDigest: Bool, step: Int = .max, changing change: (inout [UInt8]) -> Void = { _ in }
  ) throws -> (ClientHandshake, ServerHandshake) {
    var up: [UInt8] = []
    var down: [UInt8] = []
    var client = ClientHandshake(withDigest: withDigest, time: 17, into: &up, using: &generator)
    var server = ServerHandshake()
    for _ in 0..<2 {
      for piece in up.pieces(step) {
        try piece.withUnsafeBytes { bytes in
          var view = bytes
          try server.receive(&view, time: 99, into: &down, using: &generator)
          #expect(view.isEmpty)
        }
      }
      up = []
      change(&down)
      for piece in down.pieces(step) {
        try piece.withUnsafeBytes { bytes in
          var view = bytes
          try client.receive(&view, into: &up, using: &generator)
          #expect(view.isEmpty)
        }
      }
      down = []
    }
    return (client, server)
  }

  @Test("both forms succeed, in pieces of any size", arguments: [true, false], [1, 500, Int.max])
  mutating func ends(withDigest: Bool, step: Int) throws {
    let (client, server) = try shake(withDigest: withDigest, step: step)
    #expect(client.isDone && server.isDone && client.isAnswered)
    #expect(client.serverHasDigest == withDigest && server.hasDigest == withDigest)
  }

  @Test("a digest is found in either scheme, at any offset", arguments: HandshakeDigest.Scheme.allCases)
  mutating func schemes(scheme: HandshakeDigest.Scheme) throws {
    for _ in 0..<50 {
      var packet = handshakePacket(time: 0, version: 0x0900_7c02, using: &generator)
      HandshakeDigest.sign(&packet, from: .client, scheme)
      let found = try #require(HandshakeDigest.find(in: packet, from: .client))
      #expect(found.scheme == scheme)
      #expect(HandshakeDigest.find(in: packet, from: .server) == nil)
      packet[3] ^= 1
      #expect(HandshakeDigest.find(in: packet, from: .client) == nil)
    }
    // The last possible offset.
    var packet = [UInt8](repeating: 0, count: 1536)
    packet.replaceSubrange(772..<776, with: [0xff, 0xff, 0xd9, 0])
    #expect(HandshakeDigest.position(in: packet, .keyFirst) == 776 + 727)
  }

  @Test("a client with a wrong digest is answered in the specification's form")
  mutating func wrongDigest() throws {
    let challenge = handshakePacket(time: 3, version: 0x0900_7c02, using: &generator)
    var server = ServerHandshake()
    var down: [UInt8] = []
    try ([3] + challenge).withUnsafeBytes { bytes in
      var view = bytes
      try server.receive(&view, time: 1, into: &down, using: &generator)
    }
    #expect(down.count == 1 + 2 * 1536 && Array(down[1537...]) == challenge)
  }

  @Test("a wrong answer is recorded and does not end the session")
  mutating func wrongEcho() throws {
    let (client, _) = try shake(withDigest: true) { down in if down.count > 3000 { down[down.count - 1] ^= 1 } }
    #expect(client.isDone && !client.isAnswered)
  }

  @Test("another protocol is detected at its first byte", arguments: [6, 0x16, 0x47] as [UInt8])
  mutating func otherProtocol(first: UInt8) throws {
    var server = ServerHandshake()
    var down: [UInt8] = []
    #expect(throws: HandshakeError.version(first)) {
      try [first].withUnsafeBytes { bytes in
        var view = bytes
        try server.receive(&view, time: 0, into: &down, using: &generator)
      }
    }
    #expect(down.isEmpty)
  }
}
