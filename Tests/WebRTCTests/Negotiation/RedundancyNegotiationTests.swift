import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("negotiation of redundant audio")
struct RedundancyNegotiationTests {
  private func audio(of offer: String) throws -> RTPCodec? {
    let description = try SessionDescription(parsing: offer)
    return description.media.first { $0.kind == "audio" }?.codecs.first { $0.name == "opus" }
  }

  @Test("Chromium's offer is answered with RED before Opus, so that Chromium sends it")
  func chromiumPublishes() throws {
    var publish = PublishNegotiation(local: Fixture.local(.server))
    let result = try publish.answer(try Fixture.text("chromium-publish-first"))
    #expect(result.media[0].codecs.map(\.redPayloadType) == [63])
    let section = try SessionDescription(parsing: result.sdp).media[0]
    #expect(section.formats == ["63", "111"])
    #expect(section.attributes.values("rtpmap") == ["63 red/48000/2", "111 opus/48000/2"])
    #expect(section.attributes.values("fmtp").first == "63 111/111")
  }

  @Test("an offer without RED is answered without it")
  func others() throws {
    for name in ["aiortc-publish", "gstreamer-publish"] {
      var publish = PublishNegotiation(local: Fixture.local(.server))
      let result = try publish.answer(try Fixture.text(name))
      #expect(result.media.flatMap(\.codecs).allSatisfy { $0.redPayloadType == nil })
      #expect(!result.sdp.contains("red/"))
    }
  }

  @Test("the server offers RED after Opus; an answer without it leaves Opus")
  func offered() throws {
    var subscribe = SubscribeNegotiation(local: Fixture.local(.server))
    _ = try subscribe.add(
      RTPParameters(mid: "x", kind: .audio, codecs: [.opus]), userID: "bob", trackID: "1")
    let offer = subscribe.makeOffer()
    #expect(try SessionDescription(parsing: offer).media[0].formats == ["111", "110", "63"])
    #expect(try audio(of: offer) == .opus)

    // The client library takes both.
    var client = SubscribeAnswer(local: Fixture.local(.client)) { $0.name == "opus" }
    let answered = try client.answer(offer)
    #expect(answered.media[0].codecs.map(\.redPayloadType) == [63])
    let accepted = try subscribe.accept(answer: answered.sdp)
    #expect(accepted.accepted[0].codecs.map(\.redPayloadType) == [63])

    // Others may refuse RED.
    var other = SubscribeNegotiation(local: Fixture.local(.server))
    _ = try other.add(RTPParameters(mid: "x", kind: .audio, codecs: [.opus]), userID: "bob", trackID: "1")
    var plain = SubscribeAnswer(local: Fixture.local(.client)) { $0.name == "opus" }
    let text = other.makeOffer().replacing(" 63\r\n", with: "\r\n", maxReplacements: 1)
    let refused = try other.accept(answer: try plain.answer(text).sdp)
    #expect(refused.accepted[0].codecs.map(\.redPayloadType) == [nil])
  }

  @Test("the client library offers RED, and the server answers it")
  func clientPublishes() throws {
    var offer = PublishOffer(local: Fixture.local(.client), cname: "alice")
    _ = try offer.add(.opus, trackID: "1")
    var publish = PublishNegotiation(local: Fixture.local(.server))
    let answered = try publish.answer(offer.makeOffer())
    #expect(answered.media[0].codecs.map(\.redPayloadType) == [63])
    #expect(try offer.accept(answer: answered.sdp).accepted[0].codecs.map(\.redPayloadType) == [63])
  }

  @Test(
    "RED whose parameters are absent, mixed, malformed or of another codec is ignored",
    arguments: ["", "111/96", "96/96", "111/", "/", "111/111;x=1", "red", "999/999"])
  func ignored(parameters: String) throws {
    let offer = try Fixture.text("chromium-publish-first")
    let line = parameters.isEmpty ? "" : "a=fmtp:63 \(parameters)\r\n"
    let changed = offer.replacing("a=fmtp:63 111/111\r\n", with: line)
    #expect(changed != offer)
    var publish = PublishNegotiation(local: Fixture.local(.server))
    let result = try publish.answer(changed)
    #expect(result.media[0].codecs.map(\.redPayloadType) == [nil])
    #expect(!result.sdp.contains("red/"))
  }

  @Test("a viewer that offers RED is answered with Opus first")
  func viewer() throws {
    let offer = try ViewOffer(local: Fixture.local(.client), codecs: [.opus])
    let answered = try ViewNegotiation(local: Fixture.local(.server)).answer(offer.sdp, name: "alice")
    #expect(answered.media[0].codecs.map(\.redPayloadType) == [63])
    #expect(try SessionDescription(parsing: answered.sdp).media[0].formats == ["111", "110", "63"])
    let view = try offer.accept(answer: answered.sdp)
    #expect(view.media[0].codecs.map(\.redPayloadType) == [63])
  }
}
