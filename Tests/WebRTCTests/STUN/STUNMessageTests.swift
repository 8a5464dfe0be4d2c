import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("STUN: messages") struct STUNMessageTests {
  static let password = "VOkJxbRl1RmTxUk/WvJxBt"
  static let request = bytes(
    """
    000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff80290008932ff9b151263b36
    00060009 6576746a3a68367659 202020 00080014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2 80280004 e57a3bcf
    """)
  static let response4 = bytes(
    """
    0101003c2112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000080001a147e112a643
    00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7 80280004 c07d4c96
    """)
  static let response6 = bytes(
    """
    010100482112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9
    00080014 a382954e4be67bf11784c97c8292c275bfe3ed41 80280004 c8fb0b4c
    """)

  @Test("the request of RFC 5769 is parsed and its integrity is valid") func sampleRequest() throws {
    try Self.request.withUnsafeBytes { datagram in
      let message = try #require(STUNMessage(parsing: datagram))
      #expect(message.kind == .request && message.method == STUN.binding)
      #expect(message.priority == 0x6E00_01FF)
      #expect(message.role == .controlled(tieBreaker: 0x932F_F9B1_5126_3B36))
      #expect(message.isSigned(with: Self.password.utf8))
      #expect(!message.isSigned(with: "VOkJxbRl1RmTxUk/WvJxBT".utf8))
      #expect(STUN.localFragment(of: datagram) == "evtj")
      #expect(STUN.username(of: datagram).map(Array.init) == Array("evtj:h6vY".utf8))
    }
  }

  @Test("the responses of RFC 5769 contain the mapped addresses") func sampleResponses() throws {
    for (bytes, host) in [(Self.response4, "192.0.2.1"), (Self.response6, "2001:db8:1234:5678:11:2233:4455:6677")] {
      try bytes.withUnsafeBytes { datagram in
        let message = try #require(STUNMessage(parsing: datagram))
        #expect(message.kind == .success)
        #expect(message.mappedAddress == TransportAddress(host: host, port: 32853))
        #expect(message.isSigned(with: Self.password.utf8))
      }
    }
  }

  @Test("a written message parses to the same values") func roundTrip() throws {
    let transaction = STUNTransactionID.random()
    for address in [TransportAddress(ipv4: 0x7F00_0001, port: 1), try #require(TransportAddress(host: "fe80::1", port: 65535))]
    {
      var writer = STUNWriter(.failure, method: 0xABC, transaction: transaction)
      writer.addMappedAddress(address)
      writer.addError(.roleConflict, withReason: true)
      writer.add(0x7FF0, [1, 2, 3])
      writer.sign(with: "key".utf8)
      writer.addFingerprint()
      try writer.bytes.withUnsafeBytes { datagram in
        let message = try #require(STUNMessage(parsing: datagram))
        #expect(message.kind == .failure && message.method == 0xABC && message.transaction == transaction)
        #expect(message.mappedAddress == address)
        #expect(message.errorCode == 487)
        #expect(message.unknownAttributes == [0x7FF0])
        #expect(message.isSigned(with: "key".utf8))
      }
    }
  }

  @Test("truncated, extended and modified messages are rejected") func damaged() {
    for count in 0..<Self.request.count { #expect(!isMessage(Array(Self.request.prefix(count)))) }
    #expect(!isMessage(Self.request + [0, 0, 0, 0]))
    for bit in 0..<Self.request.count * 8 {
      var changed = Self.request
      changed[bit / 8] ^= 1 << (bit % 8)
      // FINGERPRINT detects every single bit error, except in its own type and in length bytes that hide it.
      if isMessage(changed) {
        changed.withUnsafeBytes { #expect(STUNMessage(parsing: $0)?.isSigned(with: Self.password.utf8) == (bit / 8 >= 100)) }
      }
    }
  }

  @Test("attributes after the signature are ignored") func afterIntegrity() throws {
    var writer = STUNWriter(.request, transaction: .random())
    writer.sign(with: "key".utf8)
    writer.add(STUNAttribute.useCandidate, [])
    writer.add(STUNAttribute.username, Array("a:b".utf8))
    try writer.bytes.withUnsafeBytes {
      let message = try #require(STUNMessage(parsing: $0))
      #expect(!message.useCandidate && message.username == nil && message.isSigned(with: "key".utf8))
    }
  }

  @Test("first bytes are classified according to RFC 7983") func classify() {
    let kinds = (UInt8.min...UInt8.max).map(DatagramKind.classify(firstByte:))
    #expect(kinds.count { $0 == .stun } == 4 && kinds.count { $0 == .dtls } == 44 && kinds.count { $0 == .rtp } == 64)
    #expect(([0x80, 96] as [UInt8]).withUnsafeBytes(DatagramKind.classify) == .rtp)
    #expect(([0x80, 200] as [UInt8]).withUnsafeBytes(DatagramKind.classify) == .rtcp)
    #expect(([0x80] as [UInt8]).withUnsafeBytes(DatagramKind.classify) == .unknown)
    #expect(DatagramKind.classify(UnsafeRawBufferPointer(start: nil, count: 0)) == .unknown)
  }

  @Test("random and mutated messages never trap", arguments: 1...4) func fuzz(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10_000 {
      var bytes = [Self.request, Self.response4, Self.response6].randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))) }
      bytes.withUnsafeBytes {
        _ = STUNMessage(parsing: $0)?.isSigned(with: [1])
        _ = STUN.localFragment(of: $0)
      }
    }
  }

  private func isMessage(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { STUNMessage(parsing: $0) != nil } }
}
