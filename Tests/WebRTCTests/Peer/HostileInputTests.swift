import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("Peer: hostile input") struct HostileInputTests {
  @Test("random datagrams into fresh and connected peers never trap", arguments: 1...6) func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pairs = [try PeerPair(), try PeerPair.connected(), try PeerPair.connected(serverICE: .full(controlling: false))]
    for pair in pairs {
      for _ in 0..<1500 {
        var bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // Enough of each protocol's format to pass the check of the first byte.
        if bytes.count > 24 {
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes.replaceSubrange(0..<8, with: [0, 1, 0, UInt8(bytes.count / 4 * 4 - 20 & 0xFF), 0x21, 0x12, 0xA4, 0x42])
          case 1: bytes.replaceSubrange(0..<3, with: [.random(in: 20...24, using: &generator), 0xFE, 0xFD])
          case 2: bytes[0] = .random(in: 128...191, using: &generator)
          default: break
          }
        }
        pair.inject(bytes, from: PeerPair.clientAddress, to: pair.server)
        pair.inject(bytes, from: PeerPair.serverAddress, to: pair.client)
        pair.run(milliseconds: 1)
      }
    }
  }

  @Test("a handshake whose datagrams are copied, mutated and shuffled never traps", arguments: 1...25)
  func mutated(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pair = try PeerPair()
    var seen: [PeerPair.Datagram] = []
    pair.loses = {
      seen.append($0)
      return false
    }
    pair.signal()
    for _ in 0..<60 {
      pair.run(milliseconds: 5)
      for _ in 0..<3 {
        guard let original = seen.randomElement(using: &generator), !original.bytes.isEmpty else { continue }
        var bytes = original.bytes
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
          bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
        }
        let end = Bool.random(using: &generator) ? pair.server : pair.client
        pair.inject(bytes, from: end === pair.server ? PeerPair.clientAddress : PeerPair.serverAddress, to: end)
      }
    }
    pair.client.peer.close(now: pair.now)
    pair.run(milliseconds: 100)
  }

  @Test("an off-path attacker that does not know the client's address cannot disturb a handshake", arguments: 1...6)
  func offPath(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pair = try PeerPair()
    pair.signal()
    let stranger = TransportAddress(ipv4: 0x0A00_0063, port: 5)
    for _ in 0..<100 {
      pair.run(milliseconds: 3)
      guard var bytes = pair.sent.randomElement(using: &generator)?.bytes else { continue }
      // In STUN, a byte of the transaction id, which the signature covers.
      bytes[Int.random(in: 8..<20, using: &generator)] ^= 1
      pair.inject(bytes, from: stranger, to: pair.server)
      pair.inject(bytes, from: stranger, to: pair.client)
    }
    #expect(pair.server.isConnected && pair.client.isConnected)
    #expect(!pair.server.peer.isValidated(stranger))
  }

  @Test("garbage after the handshake ends nothing") func garbage() throws {
    let pair = try PeerPair.connected()
    var generator = SeededGenerator(seed: 9)
    for type in UInt8(20)...23 {
      for epoch in UInt8(0)...2 {
        for _ in 0..<50 {
          let body = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
          let header: [UInt8] = [type, 0xFE, 0xFD, 0, epoch, 0, 0, 0, 0, 0, 9, 0, UInt8(body.count)]
          pair.inject(header + body, from: PeerPair.clientAddress, to: pair.server)
        }
      }
    }
    // Especially a forged unencrypted alert.
    pair.inject([21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 99, 0, 2, 2, 40], from: PeerPair.clientAddress, to: pair.server)
    pair.sendRTP(rtpPacket(sequence: 1), from: pair.client)
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 1)
    #expect(pair.server.events.isEmpty)
  }

  @Test("repetitions of the client's last flight are answered at a limited rate") func repetitionFlood() throws {
    let pair = try PeerPair()
    pair.signal()
    pair.run(milliseconds: 1000)
    let flight = try #require(pair.sent.last { $0.kind == .dtls && $0.from == PeerPair.clientAddress })
    pair.forget()
    for _ in 0..<1000 {
      pair.inject(flight.bytes, from: PeerPair.clientAddress, to: pair.server)
      pair.run(milliseconds: 1)
    }
    #expect((1...25).contains(pair.sent.count { $0.kind == .dtls && $0.from == PeerPair.serverAddress }))
  }
}
