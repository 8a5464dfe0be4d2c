import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("ICE: path changes") struct ConnectivityTests {
  static let otherAddress = TransportAddress(ipv4: 0x0A00_0063, port: 50_000)

  @Test("media continues when the client's address changes") func clientMoves() throws {
    let pair = try PeerPair.connected()
    pair.client.address = Self.otherAddress
    pair.client.peer.localAddressChanged(now: pair.now)
    pair.run(milliseconds: 200)
    #expect(pair.server.events == [.addressChanged(Self.otherAddress)])
    #expect(pair.server.peer.remoteAddress == Self.otherAddress)
    pair.sendRTP(rtpPacket(sequence: 1), from: pair.client)
    pair.sendRTP(rtpPacket(sequence: 2), from: pair.server)
    pair.run(milliseconds: 20)
    #expect(pair.server.media == [rtpPacket(sequence: 1)])
    #expect(pair.client.media == [rtpPacket(sequence: 2)])
    #expect(pair.client.events.isEmpty)
  }

  @Test("a silent change of the client's port by a NAT is followed within 7 s") func silentChange() throws {
    let pair = try PeerPair.connected()
    pair.client.address = Self.otherAddress
    pair.run(milliseconds: 7000)
    #expect(pair.server.peer.remoteAddress == Self.otherAddress)
    #expect(!pair.client.events.contains(.disconnected))
  }

  @Test("between full agents either side may move", arguments: [true, false], [true, false])
  func fullMoves(clientControls: Bool, clientMoves: Bool) throws {
    let pair = try PeerPair.connected(
      serverICE: .full(controlling: !clientControls), clientICE: .full(controlling: clientControls))
    let (moving, staying) = clientMoves ? (pair.client, pair.server) : (pair.server, pair.client)
    moving.address = Self.otherAddress
    moving.peer.localAddressChanged(now: pair.now)
    pair.run(milliseconds: 10_000)
    #expect(staying.peer.remoteAddress == Self.otherAddress)
    pair.sendRTP(rtpPacket(sequence: 1), from: staying)
    pair.sendRTP(rtpPacket(sequence: 1), from: moving)
    pair.run(milliseconds: 20)
    #expect(staying.media.count == 1 && moving.media.count == 1)
  }

  @Test("a request with the wrong password does not change the address") func forgedMove() throws {
    let pair = try PeerPair.connected()
    let forged = bindingRequest(to: pair.server.credentials, password: "not the password at all!", useCandidate: true)
    #expect(pair.inject(forged, from: Self.otherAddress, to: pair.server) == .dropped(.unauthenticatedSTUN))
    #expect(pair.server.peer.remoteAddress == PeerPair.clientAddress)
    #expect(!pair.server.peer.isValidated(Self.otherAddress))
  }

  @Test("consent is checked about every 5 s and keeps both sides connected") func consent() throws {
    let pair = try PeerPair.connected()
    pair.run(milliseconds: 60_000)
    #expect(pair.server.events.isEmpty && pair.client.events.isEmpty)
    let checks = pair.sent.count { $0.from == PeerPair.clientAddress }
    #expect((10...15).contains(checks))
  }

  @Test("a link that loses 10 % never looks disconnected", arguments: 1...5) func lossyConsent(seed: UInt64) throws {
    let pair = try PeerPair.connected()
    var generator = SeededGenerator(seed: seed)
    pair.loses = { _ in Int.random(in: 0..<10, using: &generator) == 0 }
    pair.run(milliseconds: 300_000)
    #expect(pair.server.events.isEmpty && pair.client.events.isEmpty)
  }

  @Test("silence: disconnected after 8 s, consent lost after 30 s, then nothing is sent") func silence() throws {
    let pair = try PeerPair.connected()
    pair.loses = { _ in true }
    // The last answer was up to 2 s ago.
    pair.run(milliseconds: 5900)
    #expect(pair.client.events.isEmpty)
    pair.run(milliseconds: 2200)
    #expect(pair.client.events == [.disconnected])
    #expect(pair.server.events == [.disconnected])
    pair.run(milliseconds: 22_000)
    #expect(pair.client.events == [.disconnected, .failed(.lostConsent)])
    #expect(pair.server.events == [.disconnected, .failed(.lostConsent)])
    #expect(pair.client.peer.remoteAddress == nil && pair.server.peer.remoteAddress == nil)
    pair.forget()
    pair.run(milliseconds: 60_000)
    #expect(pair.sent.isEmpty)
  }

  @Test("both sides reconnect when the link recovers") func comesBack() throws {
    let pair = try PeerPair.connected()
    pair.loses = { _ in true }
    pair.run(milliseconds: 20_000)
    pair.loses = { _ in false }
    pair.run(milliseconds: 2500)
    #expect(pair.client.events == [.disconnected, .reconnected])
    #expect(pair.server.events == [.disconnected, .reconnected])
  }

  @Test("media proves liveness to a lite agent") func mediaKeepsAlive() throws {
    let pair = try PeerPair.connected()
    pair.loses = { $0.kind == .stun }
    for sequence in UInt16(0)..<60 {
      pair.sendRTP(rtpPacket(sequence: sequence), from: pair.client)
      pair.run(milliseconds: 200)
    }
    #expect(pair.server.events.isEmpty)
    #expect(pair.client.events == [.disconnected])
  }

  @Test("an ICE restart keeps media, association and keys") func restart() throws {
    let pair = try PeerPair.connected()
    pair.client.credentials = .random()
    pair.server.credentials = .random()
    pair.client.peer.setLocal(pair.client.credentials)
    pair.server.peer.setLocal(pair.server.credentials)
    pair.signal()
    pair.sendRTP(rtpPacket(sequence: 1), from: pair.client)
    pair.run(milliseconds: 10_000)
    pair.sendRTP(rtpPacket(sequence: 2), from: pair.client)
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 2)
    #expect(pair.server.events.isEmpty && pair.client.events.isEmpty)
    #expect(!pair.sent.contains { $0.kind == .dtls })
  }

  @Test("old credentials are valid only until the new ones are used") func oldCredentials() throws {
    let pair = try PeerPair.connected()
    let old = pair.server.credentials
    pair.server.peer.setLocal(.random())
    #expect(pair.inject(bindingRequest(to: old), from: PeerPair.clientAddress, to: pair.server) == .consumed)
    let new = ICECredentials.random()
    pair.server.peer.setLocal(new)
    #expect(pair.inject(bindingRequest(to: new), from: PeerPair.clientAddress, to: pair.server) == .consumed)
    #expect(
      pair.inject(bindingRequest(to: old), from: PeerPair.clientAddress, to: pair.server) == .dropped(.unauthenticatedSTUN))
  }

  @Test("a restart recovers a lost transport, also from another address") func restartAfterLoss() throws {
    let pair = try PeerPair.connected()
    pair.loses = { _ in true }
    pair.run(milliseconds: 40_000)
    pair.loses = { _ in false }
    pair.forget()
    pair.client.address = Self.otherAddress
    pair.client.credentials = .random()
    pair.server.credentials = .random()
    pair.client.peer.setLocal(pair.client.credentials)
    pair.server.peer.setLocal(pair.server.credentials)
    pair.signal()
    pair.run(milliseconds: 1000)
    #expect(pair.client.events == [.reconnected])
    #expect(pair.server.events == [.reconnected])
    pair.sendRTP(rtpPacket(sequence: 9), from: pair.client)
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 1)
  }

  @Test("the best of several candidates that answers is nominated") func nomination() throws {
    let pair = try PeerPair()
    var parameters = pair.server.parameters(role: .server, lite: true)
    for (host, priority) in [(UInt32(0x0A00_00AA), UInt32.max), (0x0A00_00AB, 5)] {
      parameters.candidates.append(
        ICECandidate(
          foundation: "\(host)", priority: priority, address: TransportAddress(ipv4: host, port: 1), kind: .host))
    }
    pair.server.peer.setRemote(pair.client.parameters(role: .client), now: pair.now)
    pair.client.peer.setRemote(parameters, now: pair.now)
    pair.run(milliseconds: 1000)
    #expect(pair.client.isConnected && pair.server.isConnected)
    #expect(pair.client.peer.remoteAddress == PeerPair.serverAddress)
  }

  @Test("with a lite agent, the first answer from the best of several candidates selects it") func firstChoice() throws {
    let pair = try PeerPair()
    var parameters = pair.server.parameters(role: .server, lite: true)
    parameters.candidates.append(
      ICECandidate(foundation: "2", priority: 5, address: TransportAddress(ipv4: 0x0A00_00AB, port: 1), kind: .host))
    pair.server.peer.setRemote(pair.client.parameters(role: .client), now: pair.now)
    let start = pair.now
    pair.client.peer.setRemote(parameters, now: start)
    pair.run(milliseconds: 1000, while: { pair.client.peer.remoteAddress == nil })
    #expect(pair.client.peer.remoteAddress == PeerPair.serverAddress)
    #expect(pair.now - start == 2 * pair.delay)
    pair.run(milliseconds: 1000)
    #expect(pair.client.isConnected && pair.server.isConnected)
    #expect(!pair.client.events.contains { if case .addressChanged = $0 { true } else { false } })
  }

  @Test("thousands of candidates are truncated to a bounded list") func candidateFlood() throws {
    let pair = try PeerPair()
    var parameters = pair.server.parameters(role: .server, lite: true)
    parameters.candidates += (0..<5000).map {
      ICECandidate(foundation: "x", priority: 1, address: TransportAddress(ipv4: UInt32($0), port: 1), kind: .host)
    }
    pair.server.peer.setRemote(pair.client.parameters(role: .client), now: pair.now)
    pair.client.peer.setRemote(parameters, now: pair.now)
    pair.run(milliseconds: 3000)
    #expect(pair.client.isConnected)
    #expect(Set(pair.sent.map(\.to)).count <= ICEAgent.pairLimit + 1)
  }

  @Test("a lite agent keeps at most eight addresses, including the selected one") func addressFlood() throws {
    let pair = try PeerPair.connected()
    for port in UInt16(1)...100 {
      let address = TransportAddress(ipv4: 0x0A00_0050, port: port)
      #expect(pair.inject(bindingRequest(to: pair.server.credentials), from: address, to: pair.server) == .consumed)
    }
    let kept = (UInt16(1)...100).count { pair.server.peer.isValidated(TransportAddress(ipv4: 0x0A00_0050, port: $0)) }
    #expect(kept == ICELite.addressLimit - 1)
    #expect(pair.server.peer.remoteAddress == PeerPair.clientAddress)
  }
}

/// Returns a check as a full agent sends it, of 84 bytes and more.
func bindingRequest(
  to credentials: ICECredentials, password: String? = nil, useCandidate: Bool = false, controlled: Bool = false,
  extra: [(UInt16, [UInt8])] = []
) -> [UInt8] {
  var writer = STUNWriter(.request, transaction: .random())
  writer.add(STUNAttribute.username, Array("\(credentials.ufrag):them".utf8))
  writer.add(STUNAttribute.priority, UInt32(1))
  writer.add(controlled ? STUNAttribute.iceControlled : STUNAttribute.iceControlling, UInt64(7))
  if useCandidate { writer.add(STUNAttribute.useCandidate, []) }
  for (type, value) in extra { writer.add(type, value) }
  writer.sign(with: (password ?? credentials.password).utf8)
  writer.addFingerprint()
  return writer.bytes
}
