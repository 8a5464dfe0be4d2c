import Testing

@testable import RoomWebRTC

@Suite struct ViewOfferTests {
  private let negotiation = ViewNegotiation(local: Fixture.local(.server))

  private func offer() throws -> ViewOffer { try ViewOffer(local: Fixture.local(.client), codecs: [.opus, .vp8]) }

  @Test("a viewer's offer has a recvonly m-line for each codec, in one bundle")
  func offered() throws {
    let description = try SessionDescription(parsing: try offer().sdp)
    #expect(description.media.map(\.kind) == ["audio", "video"] && description.bundle == ["0", "1"])
    #expect(description.media.allSatisfy { description.direction(of: $0) == .recvonly })
    #expect(description.media.allSatisfy { $0.attributes.value("setup") == "actpass" })
  }

  @Test("the viewer accepts the server's answer")
  func accepted() throws {
    let offer = try offer()
    let answered = try negotiation.answer(offer.sdp, name: "alice")
    let view = try offer.accept(answer: answered.sdp)
    #expect(view.remote.role == .server && view.remote.iceLite && view.remote.candidates.count == 1)
    #expect(view.media.map(\.mid) == ["0", "1"] && view.media.map(\.cname) == ["alice", "alice"])
    #expect(view.media.map { $0.codecs.map(\.name) } == [["opus"], ["vp8"]])
    #expect(view.media.map(\.encodings) == answered.media.map(\.encodings))
    #expect(view.media.map(\.headerExtensions) == answered.media.map(\.headerExtensions))
  }

  @Test("an answer that sends nothing, has other m-lines or the wrong DTLS role is rejected")
  func refused() throws {
    let offer = try offer()
    let answer = try negotiation.answer(offer.sdp, name: "a").sdp
    for bad in [
      answer.replacing("a=sendonly", with: "a=inactive"), answer.replacing("a=setup:passive", with: "a=setup:active"),
      try negotiation.answer(try ViewOffer(local: Fixture.local(.client), codecs: [.opus]).sdp, name: "a").sdp, "v=0\r\n",
    ] {
      #expect(throws: NegotiationError.self) { try offer.accept(answer: bad) }
    }
  }

  @Test("an unsupported codec cannot be offered")
  func unknownCodec() {
    #expect(throws: NegotiationError.self) {
      try ViewOffer(local: Fixture.local(.client), codecs: [RTPCodec(name: "speex", payloadType: 97, clockRate: 16_000)])
    }
  }
}
