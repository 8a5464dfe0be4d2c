import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("DTLS records after the handshake") struct DTLSProtectionTests {
  /// Two ends that have completed their handshake.
  private struct Pair {
    let client: DTLSAssociation
    let server: DTLSAssociation
    private static let now = Instant(microseconds: 1_000_000)

    /// - Parameter replaced: whether OpenSSL is replaced at the client, and at the server.
    init(replaced: (client: Bool, server: Bool)) throws {
      let certificates = (try Certificate(), try Certificate())
      func end(_ certificate: Certificate, _ role: DTLSRole, _ isReplaced: Bool) throws -> DTLSAssociation {
        let end = try #require(DTLSAssociation(certificate: certificate, role: role, profiles: [.aeadAES128GCM]))
        (end.replacesOpenSSL, end.keepsData) = (isReplaced, true)
        return end
      }
      client = try end(certificates.0, .client, replaced.client)
      server = try end(certificates.1, .server, replaced.server)
      _ = client.expect([certificates.1.fingerprint])
      _ = server.expect([certificates.0.fingerprint])
      _ = client.start(now: Self.now)
      for _ in 0..<10 where client.state != .connected || server.state != .connected {
        for datagram in client.takeOutgoing() { _ = give(datagram, to: server) }
        for datagram in server.takeOutgoing() { _ = give(datagram, to: client) }
      }
      try #require(client.state == .connected && server.state == .connected)
      try #require(client.hasReplacedOpenSSL == replaced.client && server.hasReplacedOpenSSL == replaced.server)
    }

    func give(_ datagram: [UInt8], to end: DTLSAssociation) -> DTLSAssociation.Progress {
      datagram.withUnsafeBytes { end.receive($0, now: Self.now) }
    }
  }

  @Test(
    "data and the end cross in both directions, also from and to OpenSSL", arguments: [true, false], [true, false])
  func bothWays(client: Bool, server: Bool) throws {
    let pair = try Pair(replaced: (client, server))
    #expect(pair.client.exportKeys()?.local == pair.server.exportKeys()?.remote)
    for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
      for length in [2, 3, 100, 1100] {
        let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        #expect(pair.give(try #require(from.seal(data)), to: to) == .none)
        #expect(to.takeIncoming() == [data])
      }
    }
    // Several records in one datagram.
    let joined = try [[1, 1], [2, 2], [3, 3, 3]].flatMap { try #require(pair.client.seal($0)) }
    _ = pair.give(joined, to: pair.server)
    #expect(pair.server.takeIncoming() == [[1, 1], [2, 2], [3, 3, 3]])
    pair.client.close()
    let goodbye = pair.client.takeOutgoing()
    #expect(goodbye.count == 1)
    #expect(pair.give(try #require(goodbye.first), to: pair.server) == .closed)
  }

  @Test("a replay, and a record of which any byte changed, is nothing; later ones are read", arguments: [true, false])
  func forged(isReplaced: Bool) throws {
    let pair = try Pair(replaced: (true, isReplaced))
    let record = try #require(pair.client.seal([7, 7, 7]))
    // Version and length decide where a record ends; the other bytes are authenticated.
    for place in record.indices where !(1...2).contains(place) && !(11...12).contains(place) {
      var changed = record
      changed[place] ^= 0x40
      _ = pair.give(changed, to: pair.server)
      #expect(pair.server.takeIncoming().isEmpty, "byte \(place)")
    }
    _ = pair.give(record, to: pair.server)
    #expect(pair.server.takeIncoming() == [[7, 7, 7]])
    _ = pair.give(record, to: pair.server)
    #expect(pair.server.takeIncoming().isEmpty)
    #expect(pair.server.state == .connected)
    for length in 0..<record.count { _ = pair.give(Array(record.prefix(length)), to: pair.server) }
    let next = try #require(pair.client.seal([8, 8]))
    _ = pair.give(next, to: pair.server)
    #expect(pair.server.takeIncoming() == [[8, 8]])
  }
}
