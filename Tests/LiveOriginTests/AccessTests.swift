import RoomLiveOrigin
import Testing

@Suite struct AccessTests {
  private let protection = HotlinkProtection(
    publish: .init(key: "pushkey", validity: 60), play: .init(key: "rongcloud", validity: 3600))
  private let path = "/app/stream.flv"
  private let made: Int64 = 0x5f6d_b908

  private func check(_ query: String, for purpose: HotlinkProtection.Purpose = .play, after seconds: Int64 = 0)
    throws(HotlinkRefusal)
  {
    try protection.check(path: path, query: query, for: purpose, unixTime: made + seconds)
  }

  @Test("the manual's example matches the digest of md5sum")
  func example() throws {
    try check("wsSecret=3d1ee09a9638a672ec9ff056e8970544&wsTime=5f6db908")
    try check("a=b&wsTime=5f6db908&wsSecret=3D1EE09A9638A672EC9FF056E8970544", after: 3600)
    #expect(
      protection.query(path: path, for: .play, unixTime: made)
        == "wsSecret=3d1ee09a9638a672ec9ff056e8970544&wsTime=5f6db908")
  }

  @Test("each rejection has its reason")
  func refusals() throws {
    let good = try #require(protection.query(path: path, for: .play, unixTime: made))
    #expect(throws: HotlinkRefusal.expired) { try check(good, after: 3601) }
    #expect(throws: HotlinkRefusal.expired) { try check(good, after: -301) }
    #expect(throws: HotlinkRefusal.missing) { try check("") }
    #expect(throws: HotlinkRefusal.missing) { try check("wsTime=5f6db908") }
    #expect(throws: HotlinkRefusal.malformed) { try check("wsSecret=x&wsTime=zz") }
    #expect(throws: HotlinkRefusal.malformed) { try check("wsSecret=x&wsTime=-5f6db908") }
    #expect(throws: HotlinkRefusal.malformed) { try check("wsSecret=x&wsTime=00000000000000001") }
    #expect(throws: HotlinkRefusal.wrongSecret) { try check(good.replacing("5f6db908", with: "5f6db909")) }
    #expect(throws: HotlinkRefusal.wrongSecret) { try check(good.replacing("wsSecret=3", with: "wsSecret=4")) }
    #expect(throws: HotlinkRefusal.wrongSecret, "a play key does not allow publishing") { try check(good, for: .publish) }
    #expect(throws: HotlinkRefusal.wrongSecret) {
      try protection.check(path: "/app/other.flv", query: good, for: .play, unixTime: made)
    }
  }

  @Test("without a rule every URL is accepted")
  func open() throws {
    try HotlinkProtection().check(path: path, query: "", for: .play, unixTime: made)
    #expect(HotlinkProtection().query(path: path, for: .publish, unixTime: made) == nil)
  }

  @Test("only listed variants exist, portrait and landscape")
  func variants() throws {
    let variant = try #require(StreamVariant("my_room_1280_720_30"))
    #expect(variant.source == "my_room" && variant.width == 1280 && variant.height == 720 && variant.frameRate == 30)
    #expect(variant.name == "my_room_1280_720_30")
    #expect(StreamVariant("a_720_1280_24") != nil && StreamVariant("a_180_180_10") != nil)
    for name in [
      "a_1280_720_25", "a_1281_720_30", "a_1280_720", "_1280_720_30", "1280_720_30", "a_1280_720_030", "a_+1280_720_30", "a",
      "a_99999_720_30", "",
    ] { #expect(StreamVariant(name) == nil, "\(name)") }
  }
}
