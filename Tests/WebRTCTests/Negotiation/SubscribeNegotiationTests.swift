import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite struct SubscribeNegotiationTests {
  private static func source(_ codec: RTPCodec) -> RTPParameters {
    RTPParameters(mid: "x", kind: codec.name == "opus" ? .audio : .video, codecs: [codec])
  }

  private func negotiation(maximumMedia: Int = 48) -> SubscribeNegotiation {
    SubscribeNegotiation(local: Fixture.local(.server), maximumMedia: maximumMedia)
  }

  @discardableResult
  private func add(_ codecs: RTPCodec..., to subscribe: inout SubscribeNegotiation, from number: Int) throws -> [Mid] {
    var mids: [Mid] = []
    for (index, codec) in codecs.enumerated() {
      mids.append(try subscribe.add(Self.source(codec), userID: "bob", trackID: "track\(number + index)"))
    }
    return mids
  }

  @Test("an offer is sendonly, actpass, ice-lite, with canonical payload types, extensions and both SSRCs")
  func offerText() throws {
    var subscribe = negotiation()
    #expect(!subscribe.needsOffer)
    try add(.opus, .vp8, to: &subscribe, from: 0)
    #expect(subscribe.needsOffer)
    let offer = try SessionDescription(parsing: subscribe.makeOffer())
    #expect(subscribe.isPending && !subscribe.needsOffer)
    #expect(offer.bundle == ["0", "1"] && offer.attributes.has("ice-lite"))
    let video = offer.media[1]
    #expect(offer.direction(of: video) == .sendonly && video.attributes.value("setup") == "actpass")
    #expect(video.formats == ["96", "97"] && video.attributes.value("msid") == "bob track1")
    #expect(video.codecs == [.vp8])
    #expect(video.headerExtensions == [.absSendTime: 2, .transportSequence: 3, .mid: 4, .playoutDelay: 5])
    let encoding = try #require(video.streams.encodings.first)
    #expect(encoding.ssrc != nil && encoding.rtxSSRC != nil && video.streams.cname == "bob")
    #expect(video.attributes.values("ssrc").count == 2)
    #expect(offer.media[0].attributes.values("ssrc").count == 1, "Chromium rejects a second one in an audio m-line")
    #expect(offer.media[0].attributes.has("candidate") && !video.attributes.has("candidate"))
  }

  @Test(
    "one Chromium connection: tracks added, removed, replaced and rejected, and an m-line recycled")
  func chromium() throws {
    var subscribe = negotiation()
    #expect(try add(.opus, .vp8, to: &subscribe, from: 0) == ["0", "1"])
    _ = subscribe.makeOffer()
    var result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-first"))
    #expect(result.accepted.map(\.mid) == ["0", "1"] && result.rejected.isEmpty)
    #expect(result.accepted[0].codecs[0].rtxPayloadType == nil, "Chromium does not retransmit audio")
    #expect(result.accepted[0].encodings[0].rtxSSRC == nil)
    #expect(result.accepted[1].codecs[0].feedback == [.nack, .pli, .fir, .transportCC, .remb])
    #expect(result.remote?.role == .client && result.remote?.candidates.isEmpty == false)

    try add(.h264(), .h264(.constrainedHigh), .av1(), .vp9(), .h264(.baseline, packetizationMode: 0), to: &subscribe, from: 2)
    _ = subscribe.makeOffer()
    result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-more"))
    #expect(result.accepted.map(\.mid) == ["2", "3", "4", "5", "6"], "only the new ones")
    #expect(result.accepted.map { $0.codecs[0].name } == ["h264", "h264", "av1", "vp9", "h264"])
    #expect(result.accepted[1].codecs[0].h264Profile == .main, "this Chromium does not announce High, but decodes it as Main")
    #expect(result.accepted[4].codecs[0].packetizationMode == 0)

    subscribe.remove(mid: "1")
    subscribe.remove(mid: "0")
    let removed = try SessionDescription(parsing: subscribe.makeOffer())
    #expect(removed.direction(of: removed.media[0]) == .inactive && removed.media[0].port == 9)
    result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-removed"))
    #expect(result.accepted.isEmpty && result.rejected.isEmpty && !subscribe.needsOffer)

    #expect(try add(.vp8, .opus, .h264(.main), to: &subscribe, from: 7) == ["1", "0", "9"])
    _ = subscribe.makeOffer()
    result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-recycled"))
    #expect(result.accepted.map(\.mid) == ["0", "1", "9"])

    #expect(try add(.vp8, to: &subscribe, from: 10) == ["10"])
    _ = subscribe.makeOffer()
    result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-refused"))
    #expect(result.rejected.map(\.mid) == ["10"] && result.accepted.isEmpty)

    #expect(subscribe.needsOffer, "the m-line is closed")
    let closed = try SessionDescription(parsing: subscribe.makeOffer())
    #expect(closed.media[8].port == 0)
    result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-after-refused"))
    #expect(result.rejected.isEmpty && !subscribe.needsOffer)

    #expect(try add(.vp8, to: &subscribe, from: 11) == ["11"])
    let recycled = try SessionDescription(parsing: subscribe.makeOffer())
    #expect(recycled.media.count == 9 && recycled.media[8].mid == "11", "recycled under a new mid")
    result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-recycled-refused"))
    #expect(result.accepted.map(\.mid) == ["11"])
  }

  @Test("a restart of ICE is offered with new credentials, also instead of an offer in flight, whose m-lines stay")
  func restart() throws {
    var subscribe = negotiation()
    try add(.opus, .vp8, to: &subscribe, from: 0)
    let first = try SessionDescription(parsing: subscribe.makeOffer())
    let credentials = ICECredentials(ufrag: "restarted", password: "passwordOf24Characters00")
    subscribe.restart(credentials)
    #expect(subscribe.needsOffer && !subscribe.isPending)
    let second = try SessionDescription(parsing: subscribe.makeOffer())
    #expect(second.media.map(\.mid) == ["0", "1"])
    #expect(try first.transport().credentials != credentials && second.transport().credentials == credentials)
    #expect(first.media[1].streams.encodings == second.media[1].streams.encodings)
    let result = try subscribe.accept(answer: try Fixture.text("chromium-subscribe-first"))
    #expect(result.accepted.map(\.mid) == ["0", "1"] && !subscribe.needsOffer)
    subscribe.restart(ICECredentials(ufrag: "again", password: "passwordOf24Characters00"))
    _ = subscribe.makeOffer()
    #expect(try subscribe.accept(answer: try Fixture.text("chromium-subscribe-first")).accepted.isEmpty, "they are accepted")
  }

  @Test("aiortc's and GStreamer's answers are accepted")
  func otherPeers() throws {
    var subscribe = negotiation()
    try add(.opus, .vp8, .h264(.constrainedHigh), .h264(), to: &subscribe, from: 0)
    _ = subscribe.makeOffer()
    var result = try subscribe.accept(answer: try Fixture.text("aiortc-subscribe-first"))
    #expect(result.accepted.map { $0.codecs[0].name } == ["opus", "vp8", "h264", "h264"])
    #expect(result.accepted[1].codecs[0].feedback == [.nack, .pli, .remb] && !result.accepted[1].reducedSizeRTCP)
    #expect(result.accepted[1].headerExtensions == [.absSendTime: 2, .mid: 4])
    #expect(result.accepted[0].codecs[0].rtxPayloadType == nil, "no RTX without NACK")

    subscribe = negotiation()
    try add(.opus, .vp8, .h264(.constrainedHigh), to: &subscribe, from: 0)
    _ = subscribe.makeOffer()
    result = try subscribe.accept(answer: try Fixture.text("gstreamer-subscribe-first"))
    #expect(result.accepted.count == 3 && result.accepted[2].codecs[0].name == "h264")
    #expect(result.accepted[1].headerExtensions.isEmpty && result.accepted[1].codecs[0].rtxPayloadType == nil)
  }

  /// A client that only supports VP8 and Opus.
  private var client: SubscribeAnswer {
    SubscribeAnswer(local: Fixture.local(.client)) { $0.name == "vp8" || $0.name == "opus" }
  }

  @Test("a track whose codec the client does not support is rejected, and its m-line recycled under a new mid")
  func rejectedCodec() throws {
    var subscribe = negotiation()
    var client = client
    try add(.opus, .h264(), to: &subscribe, from: 0)
    let first = try client.answer(subscribe.makeOffer())
    #expect(first.rejected.map(\.mid) == ["1"] && first.media.map(\.mid) == ["0"])
    let result = try subscribe.accept(answer: first.sdp)
    #expect(result.accepted.map(\.mid) == ["0"] && result.rejected.map(\.mid) == ["1"])
    #expect(!subscribe.needsOffer)

    #expect(try add(.vp8, to: &subscribe, from: 2) == ["2"])
    let second = try client.answer(subscribe.makeOffer())
    #expect(second.added.map(\.mid) == ["2"])
    #expect(try subscribe.accept(answer: second.sdp).accepted.map(\.mid) == ["2"])
  }

  @Test("if every m-line is rejected, there is no remote transport")
  func everythingRefused() throws {
    var subscribe = negotiation()
    var client = client
    try add(.av1(), to: &subscribe, from: 0)
    let result = try subscribe.accept(answer: try client.answer(subscribe.makeOffer()).sdp)
    #expect(result.remote == nil && result.rejected.count == 1)
  }

  @Test("changes while an offer is pending go into the next one, and a track removed meanwhile is not accepted")
  func changesWhilePending() throws {
    var subscribe = negotiation()
    var client = client
    try add(.opus, .vp8, to: &subscribe, from: 0)
    let offer = subscribe.makeOffer()
    subscribe.remove(mid: "1")
    #expect(try add(.vp8, to: &subscribe, from: 2) == ["2"], "no m-line is reused before the answer")
    #expect(!subscribe.needsOffer)
    var result = try subscribe.accept(answer: try client.answer(offer).sdp)
    #expect(result.accepted.map(\.mid) == ["0"] && result.rejected.isEmpty && subscribe.needsOffer)
    let next = try client.answer(subscribe.makeOffer())
    #expect(next.removed == ["1"] && next.added.map(\.mid) == ["2"])
    result = try subscribe.accept(answer: next.sdp)
    #expect(result.accepted.map(\.mid) == ["2"])
  }

  @Test("an answer that violates a rule is rejected and the offer stays pending")
  func badAnswers() throws {
    var subscribe = negotiation()
    #expect(throws: NegotiationError.noOfferPending) { try subscribe.accept(answer: "v=0\r\n") }
    try add(.opus, .vp8, to: &subscribe, from: 0)
    _ = subscribe.makeOffer()
    let good = try Fixture.text("chromium-subscribe-first")
    for bad in [
      "", "nonsense", good.replacing("a=setup:active", with: "a=setup:passive"),
      good.replacing("a=setup:active", with: "a=setup:actpass"), good.replacingLine("a=mid:1", with: "a=mid:7"),
      try Fixture.text("chromium-subscribe-more"), good.replacing("m=video", with: "m=audio"),
      good.replacingLine("a=rtcp-mux", with: nil),
    ] {
      #expect(bad != good)
      #expect(throws: NegotiationError.self) { try subscribe.accept(answer: bad) }
      #expect(subscribe.isPending)
    }
    #expect(try subscribe.accept(answer: good).accepted.count == 2)
    #expect(throws: NegotiationError.noOfferPending) { try subscribe.accept(answer: good) }
  }

  @Test("duplicate tracks, unsupported codecs and m-lines above the limit are rejected")
  func refusedTracks() throws {
    var subscribe = negotiation(maximumMedia: 2)
    try add(.opus, to: &subscribe, from: 0)
    #expect(throws: NegotiationError.self) { try add(.opus, to: &subscribe, from: 0) }
    let unknown = RTPCodec(name: "g722", payloadType: 9, clockRate: 8000)
    #expect(throws: NegotiationError.self) { try add(unknown, to: &subscribe, from: 1) }
    try add(.vp8, to: &subscribe, from: 1)
    #expect(throws: NegotiationError.tooManyMedia(limit: 2)) { try add(.vp8, to: &subscribe, from: 2) }
  }

  @Test("an m-line whose track ended takes the same track at once, and another one only after an offer in which it is inactive")
  func reuse() throws {
    var subscribe = negotiation()
    var client = SubscribeAnswer(local: Fixture.local(.client)) { _ in true }
    try add(.vp8, to: &subscribe, from: 0)
    _ = try subscribe.accept(answer: try client.answer(subscribe.makeOffer()).sdp)
    subscribe.remove(mid: "0")
    #expect(try add(.vp8, to: &subscribe, from: 0) == ["0"])
    subscribe.remove(mid: "0")
    let other = try add(.vp8, to: &subscribe, from: 1)
    let answer = try client.answer(subscribe.makeOffer())
    #expect(other != ["0"] && answer.removed == ["0"] && answer.added.map(\.mid) == other)
    _ = try subscribe.accept(answer: answer.sdp)
    #expect(try add(.vp8, to: &subscribe, from: 2) == ["0"])
  }

  @Test("at the limit, an idle m-line changes its codec instead of rejecting the track")
  func codecChange() throws {
    var subscribe = negotiation(maximumMedia: 2)
    var client = SubscribeAnswer(local: Fixture.local(.client)) { _ in true }
    try add(.opus, .vp8, to: &subscribe, from: 0)
    _ = try subscribe.accept(answer: try client.answer(subscribe.makeOffer()).sdp)
    subscribe.remove(mid: "1")
    #expect(try add(.h264(), to: &subscribe, from: 2) == ["1"])
    let answer = try client.answer(subscribe.makeOffer())
    #expect(answer.changed.first?.codecs.first?.name == "h264")
    #expect(try subscribe.accept(answer: answer.sdp).accepted.map(\.mid) == ["1"])
  }

  @Test("a user id becomes an SDP token, whatever it contains")
  func tokens() throws {
    #expect("bob".sdpToken == "bob")
    #expect("b o\r\na=x".sdpToken == "b%20o%0D%0Aa%3Dx")
    #expect("".sdpToken == "-")
    #expect("爱".sdpToken == "%E7%88%B1")
    #expect(String(repeating: "爱", count: 99).sdpToken.utf8.count <= 64)
    var subscribe = negotiation()
    _ = try subscribe.add(Self.source(.opus), userID: "x\r\na=inactive", trackID: "t\n")
    let offer = try SessionDescription(parsing: subscribe.makeOffer())
    #expect(offer.direction(of: offer.media[0]) == .sendonly)
  }

  @Test("SSRCs are never zero and never reused")
  func ssrcs() throws {
    var subscribe = SubscribeNegotiation(local: Fixture.local(.server), randomSSRC: { 0 })
    try add(.vp8, .vp8, .vp8, to: &subscribe, from: 0)
    let offer = try SessionDescription(parsing: subscribe.makeOffer())
    let numbers = offer.media.flatMap(\.streams.encodings).flatMap { [$0.ssrc, $0.rtxSSRC].compactMap { $0 } }
    #expect(numbers.count == 6 && Set(numbers).count == 6 && !numbers.contains(0))
  }
}
