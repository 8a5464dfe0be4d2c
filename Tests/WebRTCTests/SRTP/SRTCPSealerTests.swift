import RoomCSRTP
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite("SRTCPSealer") struct SRTCPSealerTests {
  @Test("libsrtp2 opens each compound, whichever SSRC sends it, and indices never repeat", arguments: SRTPProfile.allCases)
  func opens(profile: SRTPProfile) throws {
    let master = SRTPSealerTests.master(profile, seed: 11)
    let sealer = try #require(SRTCPSealer(profile: profile, master: master))
    let inbound = try SRTPReference(profile, master: master, opening: true)
    var generator = SeededGenerator(seed: 12)
    for round in 0..<500 {
      let words = Int.random(in: 0...100, using: &generator)
      let body = (0..<words * 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let plain = receiverReport(ssrc: SSRC(UInt32(round % 5))) + body
      var buffer = plain + [UInt8](repeating: 0, count: profile.rtcpOverhead)
      let length = buffer.withUnsafeMutableBytes { sealer.seal($0, length: plain.count) }
      #expect(length == buffer.count)
      #expect(words == 0 || !buffer.starts(with: plain))
      #expect(inbound.unprotectRTCP(buffer) == plain)
    }
  }

  @Test("the first compound of an SSRC equals libsrtp2's, byte for byte", arguments: SRTPProfile.allCases)
  func equals(profile: SRTPProfile) throws {
    let master = SRTPSealerTests.master(profile, seed: 13)
    let reference = try SRTPReference(profile, master: master)
    let sealer = try #require(SRTCPSealer(profile: profile, master: master))
    for _ in 0..<300 {
      let plain = receiverReport(ssrc: 0xFEDC_BA98) + [1, 2, 3, 4, 5, 6, 7, 8]
      var buffer = plain + [UInt8](repeating: 0, count: profile.rtcpOverhead)
      _ = buffer.withUnsafeMutableBytes { sealer.seal($0, length: plain.count) }
      #expect(buffer == (try reference.protectRTCP(plain)))
    }
  }
}
