import Testing

@testable import RoomWebRTC

@Suite struct H264ProfileTests {
  @Test(
    "a profile-level-id identifies its profile, whatever its level (RFC 6184, table 5)",
    arguments: [
      ("42e01f", .constrainedBaseline), ("42E034", .constrainedBaseline), ("42c015", .constrainedBaseline),
      ("4d8033", .constrainedBaseline), ("58f01f", .constrainedBaseline), ("42001f", .baseline), ("42801f", .baseline),
      ("58801f", .baseline), ("4d001f", .main), ("4d4028", .main), ("640c1f", .constrainedHigh), ("64001f", .high),
      ("640028", .high), ("f4001f", nil), ("58001f", nil), ("64081f", nil), ("42e0", nil), ("42e01g", nil), ("", nil),
      ("42e01f00", nil),
    ] as [(String, H264Profile?)])
  func meaning(text: String, profile: H264Profile?) {
    #expect(H264Profile(profileLevelID: text) == profile)
  }

  @Test("the id written for a profile parses to that profile", arguments: H264Profile.allCases)
  func written(profile: H264Profile) {
    #expect(H264Profile(profileLevelID: profile.profileLevelID) == profile)
  }

  @Test("codecs match by profile and packetization mode, not by level or payload type")
  func matching() {
    var theirs = RTPCodec(
      name: "h264", payloadType: 99, clockRate: 90000, parameters: ["profile-level-id": "42e034", "packetization-mode": "1"])
    #expect(theirs.matches(.h264(.constrainedBaseline)))
    #expect(!theirs.matches(.h264(.baseline)))
    #expect(!theirs.matches(.h264(.main)))
    theirs.parameters["packetization-mode"] = nil
    #expect(!theirs.matches(.h264(.constrainedBaseline)))
    #expect(theirs.matches(.h264(.constrainedBaseline, packetizationMode: 0)))
    theirs.parameters["packetization-mode"] = "2"
    #expect(theirs.canonical == nil)
    theirs.parameters = [:]
    #expect(theirs.canonical == .h264(.baseline, packetizationMode: 0))
  }

  @Test("a canonical payload type identifies one codec")
  func payloadTypes() {
    var codecs: [RTPCodec] = [.opus, .vp8, .av1(profile: 0), .av1(profile: 1)] + (0..<4).map { RTPCodec.vp9(profile: $0) }
    for profile in H264Profile.allCases {
      codecs += [.h264(profile), .h264(profile, packetizationMode: 0)]
    }
    let types = codecs.flatMap { [$0.payloadType, $0.rtxPayloadType].compactMap { $0 } }
    #expect(Set(types).count == types.count)
    #expect(types.allSatisfy { $0 < 64 || (96...127).contains($0) })
    #expect(codecs.allSatisfy { $0.canonical == $0 })
  }
}
