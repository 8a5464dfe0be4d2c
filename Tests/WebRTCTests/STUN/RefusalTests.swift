import Testing

@testable import RoomWebRTC

@Suite("STUN: rejections") struct RefusalTests {
  static let stranger = TransportAddress(ipv4: 0x0A00_0063, port: 50_000)

  /// Returns how a fresh lite peer classifies a request, and its reply.
  private func answer(_ request: (ICECredentials) -> [UInt8]) throws -> (Received, [UInt8]?) {
    let pair = try PeerPair()
    var bytes = request(pair.server.credentials)
    let received = bytes.withUnsafeMutableBytes { pair.server.peer.receive($0, from: Self.stranger, now: pair.now) }
    guard case .transmit(let reply, Self.stranger) = pair.server.peer.nextOutput() else { return (received, nil) }
    return (received, reply)
  }

  private func errorCode(_ reply: [UInt8]?) -> UInt16? {
    reply?.withUnsafeBytes { STUNMessage(parsing: $0)?.errorCode }
  }

  @Test("a valid request is answered with its source address") func success() throws {
    let (received, reply) = try answer { bindingRequest(to: $0) }
    #expect(received == .consumed)
    let bytes = try #require(reply)
    bytes.withUnsafeBytes { #expect(STUNMessage(parsing: $0)?.mappedAddress == Self.stranger) }
  }

  @Test("a wrong password gets 401") func wrongPassword() throws {
    let (received, reply) = try answer { bindingRequest(to: $0, password: "wrong") }
    #expect(received == .dropped(.unauthenticatedSTUN))
    #expect(errorCode(reply) == 401)
  }

  @Test("a wrong user fragment gets 401") func wrongUser() throws {
    let (received, reply) = try answer { bindingRequest(to: ICECredentials(ufrag: "nobody", password: $0.password)) }
    #expect(received == .dropped(.unauthenticatedSTUN))
    #expect(errorCode(reply) == 401)
  }

  @Test("a request without signature gets 400") func unsigned() throws {
    let (received, reply) = try answer { credentials in
      var writer = STUNWriter(.request, transaction: .random())
      writer.add(STUNAttribute.username, Array("\(credentials.ufrag):them".utf8))
      return writer.bytes
    }
    #expect(received == .dropped(.unauthenticatedSTUN))
    #expect(errorCode(reply) == 400)
  }

  @Test("an unsupported comprehension-required attribute gets 420 and its type") func unknownAttribute() throws {
    let (received, reply) = try answer { bindingRequest(to: $0, extra: [(0x7FF1, [1]), (0xC057, [2])]) }
    #expect(received == .dropped(.unsupportedSTUN))
    #expect(errorCode(reply) == 420)
    #expect(try #require(reply).contains(subsequence: [0x00, 0x0A, 0x00, 0x02, 0x7F, 0xF1]))
  }

  @Test("a lite agent cannot control: ICE-CONTROLLED gets 487") func lite() throws {
    let (received, reply) = try answer { bindingRequest(to: $0, controlled: true) }
    #expect(received == .dropped(.roleConflict))
    #expect(errorCode(reply) == 487)
  }

  @Test("no reply to an unvalidated address is larger than its request") func amplification() throws {
    let requests: [(ICECredentials) -> [UInt8]] = [
      { bindingRequest(to: $0) }, { bindingRequest(to: $0, password: "wrong") }, { bindingRequest(to: $0, controlled: true) },
      { bindingRequest(to: $0, extra: (0..<40).map { (0x7000 + UInt16($0), []) }) },
      { _ in STUNWriter(.request, transaction: .random()).bytes },
      { credentials in
        var writer = STUNWriter(.request, transaction: .random())
        writer.add(STUNAttribute.username, Array("\(credentials.ufrag):t".utf8))
        writer.sign(with: credentials.password.utf8)
        return writer.bytes
      },
    ]
    for request in requests {
      var size = 0
      let (_, reply) = try answer {
        let bytes = request($0)
        size = bytes.count
        return bytes
      }
      #expect((reply?.count ?? 0) <= size)
    }
  }

  @Test("DTLS from an address without a check gets no answer") func dtlsFirst() throws {
    let pair = try PeerPair()
    pair.signal()
    pair.run(milliseconds: 1000) { !pair.sent.contains { $0.kind == .dtls } }
    let hello = try #require(pair.sent.first { $0.kind == .dtls })
    let fresh = try PeerPair()
    fresh.server.peer.setRemote(fresh.client.parameters(role: .client), now: fresh.now)
    #expect(fresh.inject(hello.bytes, from: Self.stranger, to: fresh.server) == .dropped(.unvalidatedAddress))
    #expect(fresh.server.peer.nextOutput() == nil)
  }

  @Test("unsolicited responses are dropped") func strayResponse() throws {
    for ice in [ICEMode.lite, .full(controlling: true)] {
      let pair = try PeerPair.connected(serverICE: ice)
      var writer = STUNWriter(.success, transaction: .random())
      writer.addMappedAddress(Self.stranger)
      writer.sign(with: pair.client.credentials.password.utf8)
      #expect(pair.inject(writer.bytes, from: PeerPair.clientAddress, to: pair.server) == .dropped(.unexpectedResponse))
    }
  }

  @Test("output that is not taken is bounded and counted") func outputBound() throws {
    let pair = try PeerPair()
    for _ in 0..<500 {
      var bytes = bindingRequest(to: pair.server.credentials)
      _ = bytes.withUnsafeMutableBytes { pair.server.peer.receive($0, from: Self.stranger, now: pair.now) }
    }
    #expect(pair.server.peer.drops[.outputFull] == 500 - UInt64(Outbox.datagramLimit))
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: subsequence) }
  }
}
