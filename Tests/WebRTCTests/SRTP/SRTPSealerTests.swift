import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

extension SRTPSealer {
  /// Seals a whole packet with 12 header bytes, from one array into another.
  func seal(_ packet: [UInt8], headerLength: Int = 12, index: UInt64) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: packet.count + overhead)
    let length = packet.withUnsafeBytes { source in
      sealed.withUnsafeMutableBytes { target -> Int in
        guard let from = source.baseAddress, let into = target.baseAddress else { return 0 }
        return seal(
          header: from, headerLength: headerLength, payload: from + headerLength, payloadLength: packet.count - headerLength,
          index: index, ssrc: SSRC(source.bigEndian32(at: 8)), into: into)
      }
    }
    return Array(sealed.prefix(length))
  }
}

@Suite("SRTPSealer") struct SRTPSealerTests {
  static func master(_ profile: SRTPProfile, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<(16 + profile.masterSaltLength)).map { _ in .random(in: 0...255, using: &generator) }
  }

  @Test("each byte equals libsrtp2's across two sequence number wraps", arguments: SRTPProfile.allCases)
  func wraps(profile: SRTPProfile) throws {
    let master = Self.master(profile, seed: 1)
    let reference = try SRTPReference(profile, master: master)
    let sealer = try #require(SRTPSealer(profile: profile, master: master))
    var differing = 0
    for index in UInt64(60_000)..<200_000 {
      // The range between the wraps is only sampled; libsrtp2 follows jumps below 2^15.
      guard index % 16 == 0 || (index &+ 40) & 0xFFFF < 80 else { continue }
      let packet = rtpPacket(sequence: UInt16(truncatingIfNeeded: index), ssrc: 0xCAFE_0001)
      if sealer.seal(packet, index: index) != (try reference.protect(packet)) { differing += 1 }
    }
    #expect(differing == 0)
  }

  @Test(
    "each byte equals libsrtp2's when the bytes of the ROC wrap", arguments: SRTPProfile.allCases,
    [0, 0xFE, 0xFFFE, 0xFFFF_FFFD])
  func rolloverCounters(profile: SRTPProfile, roc: UInt32) throws {
    let master = Self.master(profile, seed: UInt64(roc) &+ 2)
    let reference = try SRTPReference(profile, master: master)
    let sealer = try #require(SRTPSealer(profile: profile, master: master))
    let ssrc: SSRC = 0xFFFF_FFFF
    var index = UInt64(roc) << 16 | 65_000
    _ = try reference.protect(rtpPacket(sequence: 64_999, ssrc: ssrc))
    try reference.setROC(roc, ssrc: ssrc)
    for _ in 0..<3000 {
      let packet = rtpPacket(sequence: UInt16(truncatingIfNeeded: index), ssrc: ssrc)
      #expect(sealer.seal(packet, index: index) == (try reference.protect(packet)))
      index += index & 0x7FFF == 0x4000 ? 0x4000 : 1
    }
  }

  @Test("sizes, CSRCs and extensions seal as with libsrtp2", arguments: SRTPProfile.allCases) func shapes(profile: SRTPProfile)
    throws
  {
    var generator = SeededGenerator(seed: 3)
    let master = Self.master(profile, seed: 4)
    let reference = try SRTPReference(profile, master: master)
    let sealer = try #require(SRTPSealer(profile: profile, master: master))
    for sequence in UInt16(0)..<600 {
      var header = Array(rtpPacket(sequence: sequence, ssrc: SSRC(.random(in: 0...3, using: &generator))).prefix(12))
      let sources = Int.random(in: 0...15, using: &generator)
      header[0] |= UInt8(sources)
      header += [UInt8](repeating: 7, count: 4 * sources)
      if Bool.random(using: &generator) {
        header[0] |= 0x10
        let words = UInt8.random(in: 0...6, using: &generator)
        header += [0xBE, 0xDE, 0, words] + [UInt8](repeating: 0, count: 4 * Int(words))
      }
      let payload = (0..<Int.random(in: 0...1300, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let sealed = sealer.seal(header + payload, headerLength: header.count, index: UInt64(sequence))
      #expect(sealed == (try reference.protect(header + payload)))
    }
  }

  @Test("sealing in place gives the same bytes", arguments: SRTPProfile.allCases) func inPlace(profile: SRTPProfile) throws {
    let sealer = try #require(SRTPSealer(profile: profile, master: Self.master(profile, seed: 5)))
    let packet = rtpPacket(sequence: 1, payload: Array(0..<200))
    var buffer = packet + [UInt8](repeating: 0, count: sealer.overhead)
    let length = buffer.withUnsafeMutableBytes { bytes -> Int in
      guard let base = bytes.baseAddress else { return 0 }
      return sealer.seal(
        header: base, headerLength: 12, payload: base + 12, payloadLength: 200, index: 1, ssrc: 0x1122_3344, into: base)
    }
    #expect(length == buffer.count)
    #expect(buffer == sealer.seal(packet, index: 1))
  }

  @Test("a master key of the wrong length is rejected") func wrongLength() {
    #expect(SRTPSealer(profile: .aeadAES128GCM, master: [UInt8](repeating: 0, count: 30)) == nil)
    #expect(SRTPSealer(profile: .aesCM128HMACSHA1_80, master: []) == nil)
  }

  @Test("session keys are those of RFC 3711 B.3") func derivation() {
    let master = bytes("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6")
    #expect(SRTPKeyDerivation.derive(.encryption, count: 16, master: master) == bytes("C61E7A93744F39EE10734AFE3FF7A087"))
    #expect(SRTPKeyDerivation.derive(.salt, count: 14, master: master) == bytes("30CBBC08863D8C85D49DB34A9AE1"))
    #expect(
      SRTPKeyDerivation.derive(.authentication, count: 20, master: master) == bytes("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
  }
}
