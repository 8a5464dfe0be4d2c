import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("H.264 levels in offers")
struct OfferedLevelTests {
  /// Returns the `profile-level-id`s of an offer's m-lines, with all forms of one m-line.
  private func ids(_ offer: String) throws -> [[String]] {
    try SessionDescription(parsing: offer).media.map { $0.codecs.compactMap { $0.parameters["profile-level-id"] } }
  }

  private func source(_ codec: RTPCodec) -> RTPParameters { RTPParameters(mid: "x", kind: .video, codecs: [codec]) }

  @Test("a publisher's offer has the level of its stream, at least 3.1")
  func publish() throws {
    for (level, id) in [(H264Level.level40, "42e028"), (.level52, "42e034"), (.level12, "42e01f"), (.level31, "42e01f")] {
      var client = PublishOffer(local: Fixture.local(.client), cname: "ann")
      var server = PublishNegotiation(local: Fixture.local(.server))
      _ = try client.add(.h264(level: level), trackID: "camera")
      let offer = client.makeOffer()
      #expect(try ids(offer) == [[id]])
      let answer = try server.answer(offer)
      #expect(answer.media.first?.codecs.first?.h264Level == max(level, .level31), "the server has the level")
      #expect(try client.accept(answer: answer.sdp).accepted.count == 1)
    }
  }

  @Test("a subscriber is offered the publisher's level, in each form of its profile")
  func subscribe() throws {
    var subscribe = SubscribeNegotiation(local: Fixture.local(.server))
    let codec = RTPCodec(
      name: "h264", payloadType: 99, clockRate: 90000,
      parameters: ["profile-level-id": "64002A", "packetization-mode": "1", "level-asymmetry-allowed": "1"])
    _ = try subscribe.add(source(codec), userID: "bob", trackID: "a")
    let offer = subscribe.makeOffer()
    #expect(try ids(offer) == [["640c2a", "64002a", "4d002a", "42e02a"]])
    // A browser answers with its own level.
    var client = SubscribeAnswer(local: Fixture.local(.client)) { $0.h264Profile == .constrainedBaseline }
    let answer = try client.answer(offer).sdp.replacing("42e02a", with: "42e01f")
    #expect(try subscribe.accept(answer: answer).accepted.first?.codecs.first?.h264Profile == .constrainedBaseline)
  }

  @Test("a payload type has its highest level in an offer, and an m-line is reused whatever its last level was")
  func bundle() throws {
    var subscribe = SubscribeNegotiation(local: Fixture.local(.server))
    var client = SubscribeAnswer(local: Fixture.local(.client)) { $0.name == "h264" }
    func settle() throws { _ = try subscribe.accept(answer: try client.answer(subscribe.makeOffer()).sdp) }
    let small = try subscribe.add(source(.h264(.baseline)), userID: "bob", trackID: "small")
    try settle()
    let large = try subscribe.add(source(.h264(.baseline, level: .level40)), userID: "bob", trackID: "large")
    let offer = subscribe.makeOffer()
    #expect(try ids(offer) == [["420028", "42e028"], ["420028", "42e028"]])
    _ = try subscribe.accept(answer: try client.answer(offer).sdp)
    subscribe.remove(mid: large)
    try settle()
    #expect(try subscribe.add(source(.h264(.baseline)), userID: "bob", trackID: "next") == large)
    #expect(try ids(subscribe.makeOffer()) == [["42001f", "42e01f"], ["42001f", "42e01f"]])
    #expect(small != large)
  }

  @Test("a nonexistent level is ignored", arguments: ["42e0ff", "42e000", "42e00b"])
  func strange(id: String) throws {
    var subscribe = SubscribeNegotiation(local: Fixture.local(.server))
    let codec = RTPCodec(
      name: "h264", payloadType: 99, clockRate: 90000, parameters: ["profile-level-id": id, "packetization-mode": "1"])
    _ = try subscribe.add(source(codec), userID: "bob", trackID: "a")
    #expect(try ids(subscribe.makeOffer()) == [["42e01f", "42001f"]])
  }
}
