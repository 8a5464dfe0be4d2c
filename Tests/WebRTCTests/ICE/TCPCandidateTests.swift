import RoomRTP
import Testing

@testable import RoomWebRTC

/// A client that knows a server by a UDP and a TCP candidate, on a network that may drop either, in virtual time.
private final class TwoPathNetwork {
  static let datagrams = TransportAddress(ipv4: 0x0A00_0001, port: 8100)
  static let connection: TransportAddress = {
    var address = datagrams
    address.isTCP = true
    return address
  }()

  let client: Peer
  let server: Peer
  var now = Instant(microseconds: 1_000_000)
  var losesDatagrams = false
  var losesConnection = false
  /// The time in milliseconds at which data was first sent to an address.
  private(set) var firstSent: [TransportAddress: Int64] = [:]
  private(set) var sent: [TransportAddress: Int] = [:]
  private(set) var events: [PeerEvent] = []

  init(usesTCP: Bool = true, candidates: [TransportAddress] = [datagrams, connection]) throws {
    let credentials = (ICECredentials.random(), ICECredentials.random())
    let certificates = (try Certificate(), try Certificate())
    var configuration = Peer.Configuration(
      ice: .full(controlling: true), role: .client, certificate: certificates.0, credentials: credentials.0)
    configuration.usesTCP = usesTCP
    client = try Peer(configuration)
    server = try Peer(.init(ice: .lite, role: .server, certificate: certificates.1, credentials: credentials.1))
    server.setRemote(
      TransportParameters(credentials: credentials.0, fingerprints: [certificates.0.fingerprint], role: .client), now: now)
    client.setRemote(
      TransportParameters(
        credentials: credentials.1, fingerprints: [certificates.1.fingerprint], role: .server, iceLite: true,
        candidates: candidates.enumerated().map { index, address in
          ICECandidate(foundation: "\(index)", priority: UInt32(1000 - index), address: address, kind: .host)
        }), now: now)
  }

  /// Returns one address that represents the client on either path.
  private func source(_ way: TransportAddress) -> TransportAddress {
    var address = TransportAddress(ipv4: 0x0A00_0002, port: 40_000)
    address.isTCP = way.isTCP
    return address
  }

  func run(milliseconds: Int64) {
    for _ in 0..<(milliseconds / 10) {
      now = now.advanced(milliseconds: 10)
      client.advance(to: now)
      server.advance(to: now)
      for _ in 0..<10 { exchange() }
    }
  }

  private func exchange() {
    while let output = client.nextOutput() {
      switch output {
      case .event(let event): events.append(event)
      case .transmit(var bytes, let address):
        sent[address, default: 0] += 1
        firstSent[address] = firstSent[address] ?? (now.microseconds - 1_000_000) / 1000
        guard !(address.isTCP ? losesConnection : losesDatagrams) else { continue }
        _ = bytes.withUnsafeMutableBytes { server.receive($0, from: source(address), now: now) }
      }
    }
    while let output = server.nextOutput() {
      guard case .transmit(var bytes, let address) = output else { continue }
      guard !(address.isTCP ? losesConnection : losesDatagrams) else { continue }
      let way = address.isTCP ? Self.connection : Self.datagrams
      _ = bytes.withUnsafeMutableBytes { client.receive($0, from: way, now: now) }
    }
  }
}

@Suite("ICE: a TCP candidate as fallback for a UDP one") struct TCPCandidateTests {
  @Test("if datagrams work, no connection is requested") func datagrams() throws {
    let network = try TwoPathNetwork()
    network.run(milliseconds: 60_000)
    #expect(network.client.remoteAddress == TwoPathNetwork.datagrams)
    #expect(network.sent[TwoPathNetwork.connection] == nil)
    #expect(network.events.count == 1)
  }

  @Test("if datagrams get no answer, the connection is tried after two seconds") func blocked() throws {
    let network = try TwoPathNetwork()
    network.losesDatagrams = true
    network.run(milliseconds: 4000)
    #expect(network.client.remoteAddress == TwoPathNetwork.connection)
    #expect(network.server.remoteAddress?.isTCP == true)
    #expect((2000...2200).contains(try #require(network.firstSent[TwoPathNetwork.connection])))
    #expect(network.events.count == 1)
  }

  @Test("if there is no other candidate, the connection is tried at once") func alone() throws {
    let network = try TwoPathNetwork(candidates: [TwoPathNetwork.connection])
    network.run(milliseconds: 500)
    #expect(network.client.remoteAddress == TwoPathNetwork.connection)
  }

  @Test("no connection is requested from an owner that opens none") func unable() throws {
    let network = try TwoPathNetwork(usesTCP: false)
    network.losesDatagrams = true
    network.run(milliseconds: 10_000)
    #expect(network.client.remoteAddress == nil)
    #expect(network.sent[TwoPathNetwork.connection] == nil)
  }

  @Test("when datagrams stop arriving, the connection takes over") func takesOver() throws {
    let network = try TwoPathNetwork()
    network.run(milliseconds: 3000)
    network.losesDatagrams = true
    network.run(milliseconds: 15_000)
    #expect(network.client.remoteAddress == TwoPathNetwork.connection)
    #expect(network.server.remoteAddress?.isTCP == true)
  }

  @Test("an ended connection is requested again at a limited rate") func reconnects() throws {
    let network = try TwoPathNetwork(candidates: [TwoPathNetwork.connection])
    network.run(milliseconds: 3000)
    network.losesConnection = true
    network.server.connectionClosed(try #require(network.server.remoteAddress), now: network.now)
    let before = try #require(network.sent[TwoPathNetwork.connection])
    for _ in 0..<5 {
      network.client.connectionClosed(TwoPathNetwork.connection, now: network.now)
      network.run(milliseconds: 1000)
    }
    let checks = try #require(network.sent[TwoPathNetwork.connection]) - before
    #expect((5...25).contains(checks))
    network.losesConnection = false
    network.run(milliseconds: 2000)
    #expect(network.client.isValidated(TwoPathNetwork.connection))
    #expect(network.server.remoteAddress?.isTCP == true)
    #expect(network.events.last == .reconnected)
    #expect(network.events.count { if case .connected = $0 { true } else { false } } == 1, "DTLS continues unchanged")
  }

  @Test("a lite agent whose connection ended continues at the most recently active address") func liteFallsBack() throws {
    let network = try TwoPathNetwork()
    network.losesDatagrams = true
    network.run(milliseconds: 4000)
    let connection = try #require(network.server.remoteAddress)
    #expect(connection.isTCP)
    network.losesDatagrams = false
    network.losesConnection = true
    network.run(milliseconds: 12_000)
    network.server.connectionClosed(connection, now: network.now)
    #expect(!network.server.isValidated(connection) || network.server.remoteAddress == connection)
    #expect(network.server.remoteAddress?.isTCP == false)
  }
}
