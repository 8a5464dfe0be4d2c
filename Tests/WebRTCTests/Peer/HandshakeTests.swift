import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("Peer: handshake") struct HandshakeTests {
  @Test("a full client and a lite server connect and agree on GCM") func liteServer() throws {
    let pair = try PeerPair()
    pair.signal()
    pair.run(milliseconds: 1000)
    #expect(pair.server.events == [.connected(.aeadAES128GCM)])
    #expect(pair.client.events == [.connected(.aeadAES128GCM)])
    #expect(pair.server.peer.remoteAddress == PeerPair.clientAddress)
    #expect(pair.client.peer.remoteAddress == PeerPair.serverAddress)
  }

  @Test("a handshake ended by the other side fails with the reason in its alert")
  func alert() throws {
    let client = try #require(
      DTLSAssociation(certificate: try Certificate(), role: .client, profiles: SRTPProfile.allCases))
    let now = Instant(microseconds: 1_000_000)
    #expect(client.start(now: now) == .none)
    // Fatal, 47: sent by a server whose certificate is on a curve that was not offered.
    let alert: [UInt8] = [21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 47]
    let progress = alert.withUnsafeBytes { client.receive($0, now: now) }
    guard case .failed(.handshake(let reason)) = progress else {
      Issue.record("\(progress)")
      return
    }
    #expect(reason.contains("illegal parameter"), "\(reason)")
  }

  @Test("a handshake over 10 ms takes less than 150 ms") func time() throws {
    let pair = try PeerPair()
    pair.signal()
    let start = pair.now
    pair.run(milliseconds: 1000) { !(pair.client.isConnected && pair.server.isConnected) }
    #expect(pair.now - start < 150_000)
  }

  @Test("two full agents connect, whichever is controlling", arguments: [true, false]) func full(clientControls: Bool) throws {
    let pair = try PeerPair(serverICE: .full(controlling: !clientControls), clientICE: .full(controlling: clientControls))
    pair.signal(isLite: false)
    pair.run(milliseconds: 2000)
    #expect(pair.server.isConnected && pair.client.isConnected)
  }

  @Test("a role conflict is resolved", arguments: [true, false]) func roleConflict(bothControl: Bool) throws {
    for _ in 0..<8 {
      let pair = try PeerPair(serverICE: .full(controlling: bothControl), clientICE: .full(controlling: bothControl))
      pair.signal(isLite: false)
      pair.run(milliseconds: 3000)
      #expect(pair.server.isConnected && pair.client.isConnected)
      #expect(pair.server.peer.drops[.roleConflict] + pair.client.peer.drops[.roleConflict] > 0)
    }
  }

  @Test("the server's preference decides the profile") func preference() throws {
    let pair = try PeerPair(clientProfiles: [.aesCM128HMACSHA1_80, .aeadAES128GCM])
    pair.signal()
    pair.run(milliseconds: 1000)
    #expect(pair.client.events == [.connected(.aeadAES128GCM)])
  }

  @Test("a client without GCM gets AES-CM") func fallback() throws {
    let pair = try PeerPair(clientProfiles: [.aesCM128HMACSHA1_80])
    pair.signal()
    pair.run(milliseconds: 1000)
    #expect(pair.server.events == [.connected(.aesCM128HMACSHA1_80)])
    #expect(pair.client.events == [.connected(.aesCM128HMACSHA1_80)])
  }

  @Test("a handshake without a common profile fails") func noProfile() throws {
    let pair = try PeerPair(serverProfiles: [.aeadAES128GCM], clientProfiles: [.aesCM128HMACSHA1_80])
    pair.signal()
    pair.run(milliseconds: 1000)
    #expect(!pair.server.isConnected && !pair.client.isConnected)
    #expect(pair.server.events.contains(.failed(.noCommonProfile)))
  }

  @Test("checks that arrive before the description are answered, and the handshake waits for the fingerprint")
  func lateDescription() throws {
    let pair = try PeerPair()
    pair.client.peer.setRemote(pair.server.parameters(role: .server, lite: true), now: pair.now)
    pair.run(milliseconds: 500)
    #expect(pair.client.isConnected)
    #expect(!pair.server.isConnected)
    pair.server.peer.setRemote(pair.client.parameters(role: .client), now: pair.now)
    pair.run(milliseconds: 100)
    #expect(pair.server.isConnected)
  }

  @Test("actpass becomes the client, and the answerer's choice applies") func roles() throws {
    let certificate = try Certificate()
    let passive = try Peer(
      .init(ice: .full(controlling: true), role: nil, certificate: certificate, credentials: .random()))
    var remote = TransportParameters(credentials: .random(), fingerprints: [certificate.fingerprint], role: .client)
    passive.setRemote(remote, now: .init(microseconds: 0))
    #expect(passive.nextOutput() == nil)
    let conflicting = try Peer(.init(ice: .lite, role: .server, certificate: certificate, credentials: .random()))
    remote.role = .server
    conflicting.setRemote(remote, now: .init(microseconds: 0))
    #expect(conflicting.nextOutput() == .event(.failed(.dtlsRole)))
  }

  @Test("one lost datagram only delays the handshake", arguments: 0..<9) func oneLost(index: Int) throws {
    let pair = try PeerPair()
    var count = -1
    pair.loses = { _ in
      count += 1
      return count == index
    }
    pair.signal()
    pair.run(milliseconds: 3000)
    #expect(pair.server.isConnected && pair.client.isConnected)
  }

  @Test("a handshake succeeds on a link that loses 40 % in each direction", arguments: 1...12) func lossy(seed: UInt64) throws {
    let pair = try PeerPair()
    var generator = SeededGenerator(seed: seed)
    pair.loses = { _ in Int.random(in: 0..<10, using: &generator) < 4 }
    pair.signal()
    pair.run(milliseconds: 29_000) { !(pair.server.isConnected && pair.client.isConnected) }
    #expect(pair.server.isConnected && pair.client.isConnected)
  }

  @Test("the server rejects a wrong certificate of the client") func wrongClient() throws {
    let pair = try PeerPair()
    pair.signal(clientFingerprint: try Certificate().fingerprint)
    pair.run(milliseconds: 2000)
    #expect(pair.server.events == [.failed(.fingerprint)])
    #expect(!pair.client.isConnected)
    #expect(pair.server.peer.makeSealer() == nil)
  }

  @Test("the client rejects a wrong certificate of the server") func wrongServer() throws {
    let pair = try PeerPair()
    pair.signal(serverFingerprint: try Certificate().fingerprint)
    pair.run(milliseconds: 2000)
    #expect(pair.client.events == [.failed(.fingerprint)])
    #expect(!pair.server.isConnected)
  }

  @Test("a wrong certificate is rejected even if the fingerprint arrives last") func wrongLate() throws {
    let pair = try PeerPair()
    pair.client.peer.setRemote(pair.server.parameters(role: .server, lite: true), now: pair.now)
    pair.run(milliseconds: 500)
    pair.server.peer.setRemote(pair.client.parameters(role: .client, fingerprint: try Certificate().fingerprint), now: pair.now)
    pair.run(milliseconds: 500)
    #expect(pair.server.events == [.failed(.fingerprint)])
    #expect(pair.client.events.contains { $0 != .connected(.aeadAES128GCM) })
  }

  @Test("SHA-1 fingerprints and missing fingerprints are rejected") func weakFingerprint() throws {
    for fingerprints in [[], [Fingerprint(algorithm: "sha-1", bytes: [UInt8](repeating: 0, count: 20))]] {
      let pair = try PeerPair()
      var parameters = pair.client.parameters(role: .client)
      parameters.fingerprints = fingerprints
      pair.server.peer.setRemote(parameters, now: pair.now)
      pair.client.peer.setRemote(pair.server.parameters(role: .server, lite: true), now: pair.now)
      pair.run(milliseconds: 1000)
      #expect(pair.server.events == [.failed(.fingerprint)])
    }
  }

  @Test("ICE fails after 30 s without an answer") func iceTimeout() throws {
    let pair = try PeerPair()
    pair.loses = { _ in true }
    pair.signal()
    pair.run(milliseconds: 29_000)
    #expect(pair.client.events.isEmpty)
    pair.run(milliseconds: 2000)
    #expect(pair.client.events == [.failed(.iceTimeout)])
    #expect(pair.client.peer.deadline == nil)
  }

  @Test("a client whose DTLS never arrives fails after 30 s") func dtlsTimeout() throws {
    let pair = try PeerPair()
    pair.loses = { $0.kind == .dtls }
    pair.signal()
    pair.run(milliseconds: 31_000)
    #expect(pair.client.events == [.failed(.dtlsTimeout)])
    #expect(pair.sent.count { $0.kind == .dtls } < 40)
  }

  @Test("no DTLS datagram is larger than 1200 bytes") func mtu() throws {
    let pair = try PeerPair()
    pair.signal()
    pair.run(milliseconds: 1000)
    #expect(pair.sent.allSatisfy { $0.bytes.count <= 1200 })
  }

  @Test("closing notifies the other side once") func close() throws {
    let pair = try PeerPair.connected()
    pair.client.peer.close(now: pair.now)
    pair.client.peer.close(now: pair.now)
    pair.run(milliseconds: 100)
    #expect(pair.server.events == [.closed])
    #expect(pair.client.events.isEmpty)
    #expect(pair.sendRTP(rtpPacket(sequence: 1), from: pair.client) == nil)
    #expect(pair.inject(rtpPacket(sequence: 1), from: PeerPair.clientAddress, to: pair.server) == .dropped(.closed))
  }

  @Test("invalid credentials and empty profiles are rejected") func configuration() throws {
    let certificate = try Certificate()
    #expect(throws: Peer.ConfigurationError.credentials) {
      try Peer(
        .init(ice: .lite, role: .server, certificate: certificate, credentials: .init(ufrag: "abc", password: "short")))
    }
    #expect(throws: Peer.ConfigurationError.noProfiles) {
      try Peer(.init(ice: .lite, role: .server, certificate: certificate, credentials: .random(), profiles: []))
    }
  }
}
