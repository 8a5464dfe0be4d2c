import RoomRTP
import Testing

@testable import RoomWebRTC

/// A client that knows a server by a UDP and a TCP candidate, on a network that may drop either, in virtual time.
private final class TwoWays {
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
    let ways = try TwoWays()
    ways.run(milliseconds: 60_000)
    #expect(ways.client.remoteAddress == TwoWays.datagrams)
    #expect(ways.sent[TwoWays.connection] == nil)
    #expect(ways.events.count == 1)
  }

  @Test("if datagrams get no answer, the connection is tried after two seconds") func blocked() throws {
    let ways = try TwoWays()
    ways.losesDatagrams = true
    ways.run(milliseconds: 4000)
    #expect(ways.client.remoteAddress == TwoWays.connection)
    #expect(ways.server.remoteAddress?.isTCP == true)
    #expect((2000...2200).contains(try #require(ways.firstSent[TwoWays.connection])))
    #expect(ways.events.count == 1)
  }

  @Test("if there is no other candidate, the connection is tried at once") func alone() throws {
    let ways = try TwoWays(candidates: [TwoWays.connection])
    ways.run(milliseconds: 500)
    #expect(ways.client.remoteAddress == TwoWays.connection)
  }

  @Test("no connection is requested from an owner that opens none") func unable() throws {
    let ways = try TwoWays(usesTCP: false)
    ways.losesDatagrams = true
    ways.run(milliseconds: 10_000)
    #expect(ways.client.remoteAddress == nil)
    #expect(ways.sent[TwoWays.connection] == nil)
  }

  @Test("when datagrams stop arriving, the connection takes over") func takesOver() throws {
    let ways = try TwoWays()
    ways.run(milliseconds: 3000)
    ways.losesDatagrams = true
    ways.run(milliseconds: 15_000)
    #expect(ways.client.remoteAddress == TwoWays.connection)
    #expect(ways.server.remoteAddress?.isTCP == true)
  }

  @Test("an ended connection is requested again at a limited rate") func reconnects() throws {
    let ways = try TwoWays(candidates: [TwoWays.connection])
    ways.run(milliseconds: 3000)
    ways.losesConnection = true
    ways.server.connectionClosed(try #require(ways.server.remoteAddress), now: ways.now)
    let before = try #require(ways.sent[TwoWays.connection])
    for _ in 0..<5 {
      ways.client.connectionClosed(TwoWays.connection, now: ways.now)
      ways.run(milliseconds: 1000)
    }
    let checks = try #require(ways.sent[TwoWays.connection]) - before
    #expect((5...25).contains(checks))
    ways.losesConnection = false
    ways.run(milliseconds: 2000)
    #expect(ways.client.isValidated(TwoWays.connection))
    #expect(ways.server.remoteAddress?.isTCP == true)
    #expect(ways.events.last == .reconnected)
    #expect(ways.events.count { if case .connected = $0 { true } else { false } } == 1, "DTLS continues unchanged")
  }

  @Test("a lite agent whose connection ended continues at the most recently active address") func liteFallsBack() throws {
    let ways = try TwoWays()
    ways.losesDatagrams = true
    ways.run(milliseconds: 4000)
    let connection = try #require(ways.server.remoteAddress)
    #expect(connection.isTCP)
    ways.losesDatagrams = false
    ways.losesConnection = true
    ways.run(milliseconds: 12_000)
    ways.server.connectionClosed(connection, now: ways.now)
    #expect(!ways.server.isValidated(connection) || ways.server.remoteAddress == connection)
    #expect(ways.server.remoteAddress?.isTCP == false)
  }
}
