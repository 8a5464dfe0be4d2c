import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("Data channels in offers and answers")
struct DataNegotiationTests {
  private func side(_ role: DTLSRole) -> TransportParameters {
    TransportParameters(
      credentials: ICECredentials(ufrag: "fragment", password: "abcdefghijklmnopqrstuvwx"),
      fingerprints: [Fingerprint(algorithm: "sha-256", bytes: Array(repeating: 0xA5, count: 32))], role: role,
      iceLite: role == .server, candidates: [])
  }

  @Test("a browser's data channels are answered")
  func browser() throws {
    var publish = PublishNegotiation(local: side(.server), data: DataParameters())
    let result = try publish.answer(try Fixture.text("chromium-publish-datachannel"))
    #expect(result.data == DataParameters(port: 5000, maximumMessage: 262_144))
    #expect(!result.rejected.contains { $0.mid == "5" })
    let section = try #require(try SessionDescription(parsing: result.sdp).media.last)
    #expect(section.kind == "application" && section.port == 9 && section.transport == "UDP/DTLS/SCTP")
    #expect(section.formats == ["webrtc-datachannel"])
    #expect(section.attributes.value("sctp-port") == "5000")
    #expect(section.attributes.value("max-message-size") == "262144")
    #expect(section.attributes.value("setup") == "passive")
    // A later offer keeps them.
    #expect(try publish.answer(try Fixture.text("chromium-publish-datachannel")).data == result.data)
  }

  @Test("data channels alone are a description", arguments: [true, false])
  func alone(byClient: Bool) throws {
    let text: String
    var offered = PublishOffer(local: side(.client), cname: "c")
    var subscribed = SubscribeNegotiation(local: side(.server))
    if byClient {
      try offered.addDataChannels()
      try offered.addDataChannels()
      text = offered.makeOffer()
    } else {
      try subscribed.addDataChannels()
      text = subscribed.makeOffer()
    }
    #expect(try SessionDescription(parsing: text).media.count == 1)
    if byClient {
      var negotiation = PublishNegotiation(local: side(.server), data: DataParameters(maximumMessage: 1000))
      let answered = try negotiation.answer(text)
      #expect(answered.data == DataParameters())
      #expect(try offered.accept(answer: answered.sdp).data == DataParameters(maximumMessage: 1000))
      #expect(try offered.add(.opus, trackID: "t").mid == "1")
      #expect(try negotiation.answer(offered.makeOffer()).data != nil)
    } else {
      var answer = SubscribeAnswer(local: side(.client), data: DataParameters()) { _ in true }
      let answered = try answer.answer(text)
      #expect(answered.data == DataParameters())
      #expect(try subscribed.accept(answer: answered.sdp).data == DataParameters())
    }
  }

  @Test("data channels may be rejected, and stay so")
  func rejected() throws {
    var offer = PublishOffer(local: side(.client), cname: "c")
    try offer.addDataChannels()
    _ = try offer.add(.opus, trackID: "t")
    var negotiation = PublishNegotiation(local: side(.server))
    let answered = try negotiation.answer(offer.makeOffer())
    #expect(answered.data == nil && answered.media.count == 1)
    let accepted = try offer.accept(answer: answered.sdp)
    #expect(accepted.data == nil && accepted.accepted.count == 1)
    let again = try SessionDescription(parsing: offer.makeOffer())
    #expect(again.media[0].isRejected && again.media[0].kind == "application")
    _ = try offer.accept(answer: try negotiation.answer(again.text).sdp)
    #expect(try offer.add(.vp8, trackID: "v").mid == "2", "a track does not take the m-line of data channels")
  }

  @Test("a second m-line of data channels, and the old form, are rejected")
  func others() throws {
    var negotiation = PublishNegotiation(local: side(.server), data: DataParameters())
    let offer = SessionDescription(
      sessionID: 1, version: 1, local: side(.client),
      media: [
        MediaDescription(DataParameters(), mid: "0", local: side(.client), setup: "actpass", carriesCandidates: true),
        MediaDescription(DataParameters(), mid: "1", local: side(.client), setup: "actpass", carriesCandidates: false),
      ]
    ).text
    let answered = try negotiation.answer(offer)
    #expect(answered.data != nil && answered.rejected.map(\.mid) == ["1"])
    var old = PublishNegotiation(local: side(.server), data: DataParameters())
    let form = offer.replacing("UDP/DTLS/SCTP webrtc-datachannel", with: "DTLS/SCTP 5000")
    #expect(try old.answer(form).data == nil)
  }
}
