import Testing

@testable import RoomWebRTC

@Suite struct PublishNegotiationTests {
  private func negotiation(simulcast: Bool = false) -> PublishNegotiation {
    PublishNegotiation(local: Fixture.local(.server), simulcast: simulcast)
  }

  @Test("Chromium's first offer is narrowed to Opus and VP8 with RTX, with its own payload types")
  func firstOffer() throws {
    var publish = negotiation()
    let result = try publish.answer(try Fixture.text("chromium-publish-first"))
    #expect(result.media.map(\.mid) == ["0", "1"] && result.added == result.media && result.remoteChanged)
    #expect(result.rejected.isEmpty && result.removed.isEmpty && result.changed.isEmpty)
    let audio = result.media[0]
    #expect(audio.codecs.map(\.name) == ["opus"] && audio.codecs[0].payloadType == 111)
    #expect(audio.headerExtensions == [.audioLevel: 1, .absSendTime: 2, .transportSequence: 3, .mid: 4])
    #expect(audio.encodings == [RTPEncoding(ssrc: 3_806_435_921)])
    let video = result.media[1]
    #expect(video.codecs.map(\.name) == ["vp8"] && video.codecs[0].rtxPayloadType == 97)
    #expect(video.codecs[0].feedback == [.nack, .pli, .fir, .transportCC], "transport-cc only, no REMB")
    #expect(video.encodings == [RTPEncoding(ssrc: 3_192_000_193, rtxSSRC: 11_928_763)])
    #expect(result.remote.role == nil && !result.remote.iceLite)
    #expect(result.remote.candidates.count == 4, "the four UDP candidates")
  }

  @Test("the answer is ice-lite, passive, in one bundle, with the local candidate and the end of candidates")
  func answerText() throws {
    var publish = negotiation()
    let answer = try SessionDescription(parsing: try publish.answer(try Fixture.text("chromium-publish-first")).sdp)
    #expect(answer.attributes.has("ice-lite") && answer.bundle == ["0", "1"])
    #expect(answer.media.allSatisfy { $0.attributes.value("setup") == "passive" && answer.direction(of: $0) == .recvonly })
    #expect(answer.media[0].attributes.values("candidate") == ["1 1 udp 2130706431 127.0.0.1 40000 typ host"])
    #expect(answer.media[0].attributes.has("end-of-candidates"))
    #expect(try answer.transport().fingerprints == Fixture.local(.server).fingerprints)
    #expect(answer.media[1].formats == ["96", "97"])
  }

  @Test("one Chromium connection: a third track, one removed, one stopped, its m-line recycled, the first stopped")
  func renegotiation() throws {
    var publish = negotiation()
    _ = try publish.answer(try Fixture.text("chromium-publish-first"))

    var result = try publish.answer(try Fixture.text("chromium-publish-third-h264"))
    #expect(result.added.map(\.mid) == ["2"] && result.changed.isEmpty && !result.remoteChanged)
    #expect(result.added[0].codecs.map(\.name) == ["h264"] && result.added[0].codecs[0].h264Profile == .baseline)
    #expect(result.media.map(\.mid) == ["0", "1", "2"])

    result = try publish.answer(try Fixture.text("chromium-publish-second-removed"))
    #expect(result.removed == ["1"] && result.added.isEmpty)
    var answer = try SessionDescription(parsing: result.sdp)
    #expect(answer.direction(of: answer.media[1]) == .inactive && !answer.media[1].isRejected)

    result = try publish.answer(try Fixture.text("chromium-publish-third-stopped"))
    #expect(result.removed == ["2"] && result.media.map(\.mid) == ["0"])
    answer = try SessionDescription(parsing: result.sdp)
    #expect(answer.media[2].isRejected && answer.bundle == ["0", "1"])

    result = try publish.answer(try Fixture.text("chromium-publish-third-recycled"))
    #expect(result.added.map(\.mid) == ["3"] && result.removed.isEmpty)
    #expect(result.added[0].codecs.map(\.name) == ["vp8"])

    result = try publish.answer(try Fixture.text("chromium-publish-first-stopped"))
    #expect(result.removed == ["0"])
    answer = try SessionDescription(parsing: result.sdp)
    #expect(answer.media[0].isRejected && answer.media[1].attributes.has("candidate"), "the next m-line represents the bundle")

    result = try publish.answer(try Fixture.text("chromium-publish-datachannel"))
    #expect(result.rejected.map(\.mid) == ["5"] && result.added.isEmpty && result.removed.isEmpty)
  }

  @Test("aiortc's offer, with two sets of fingerprints and REMB only, is accepted")
  func aiortc() throws {
    var publish = negotiation()
    let result = try publish.answer(try Fixture.text("aiortc-publish"))
    #expect(result.media.map { $0.codecs.map(\.name) } == [["opus"], ["vp8"]])
    #expect(result.media[1].codecs[0].feedback == [.nack, .pli, .remb])
    #expect(result.remote.fingerprints.map(\.algorithm) == ["sha-256", "sha-384", "sha-512"])
  }

  @Test("GStreamer's offer, with bundle-only m-lines, no RTX and no extensions, is accepted")
  func gstreamer() throws {
    var publish = negotiation()
    let result = try publish.answer(try Fixture.text("gstreamer-publish"))
    #expect(result.media.map(\.mid) == ["video0", "audio1"])
    let video = result.media[0]
    #expect(video.codecs[0].h264Profile == .constrainedBaseline && video.codecs[0].rtxPayloadType == nil)
    #expect(video.codecs[0].parameters["sprop-parameter-sets"] == nil)
    #expect(video.headerExtensions.isEmpty && video.encodings[0].ssrc != nil)
    // Three UDP candidates and three passive TCP ones; no connection to the active ones is possible.
    #expect(result.remote.candidates.count == 6)
  }

  @Test("simulcast is accepted if enabled, otherwise narrowed to one layer")
  func simulcast() throws {
    let offer = try Fixture.text("chromium-publish-simulcast")
    var layered = negotiation(simulcast: true)
    var result = try layered.answer(offer)
    #expect(result.media[0].encodings.map(\.rid) == ["h", "m", "l"])
    #expect(result.sdp.contains("a=simulcast:recv h;m;l\r\n") && result.sdp.contains("a=rid:m recv\r\n"))
    var plain = negotiation()
    result = try plain.answer(offer)
    #expect(result.media[0].encodings == [RTPEncoding()])
    #expect(!result.sdp.contains("simulcast"))
  }

  @Test(
    "up to three rids are answered in the order of the offer",
    arguments: [("q;h;f", "q;h;f"), ("f;h;q", "f;h;q"), ("~q;h", "q;h"), ("a;b;c;d", "a;b;d"), ("a;b,c;d", "a;b;d")])
  func rids(offered: String, answered: String) throws {
    var offer = try Fixture.text("chromium-publish-simulcast")
    for rid in ["h", "m", "l"] { offer = offer.replacingLine("a=rid:\(rid) send", with: nil) }
    let names = offered.split { ";,".contains($0) }.map { $0.first == "~" ? $0.dropFirst() : $0 }
    let lines = names.map { "a=rid:\($0) send\r\n" }.joined() + "a=simulcast:send \(offered)"
    offer = offer.replacingLine("a=simulcast:send h;m;l", with: lines)
    var publish = negotiation(simulcast: true)
    let result = try publish.answer(offer)
    #expect(result.media[0].encodings.map { $0.rid?.rawValue ?? "" }.joined(separator: ";") == answered)
    #expect(result.sdp.contains("a=simulcast:recv \(answered)\r\n"))
    #expect(try publish.answer(offer).changed.isEmpty)
  }

  @Test("a group of SSRCs is a simulcast without rids")
  func group() throws {
    let offer = try Fixture.text("chromium-publish-first").replacing(
      "a=ssrc-group:FID 3192000193 11928763",
      with: "a=ssrc-group:SIM 3192000193 7 8\r\na=ssrc-group:FID 3192000193 11928763\r\na=ssrc-group:FID 7 9\r\n"
        + "a=ssrc:7 cname:x\r\na=ssrc:8 cname:x\r\na=ssrc:9 cname:x")
    var publish = negotiation(simulcast: true)
    let result = try publish.answer(offer)
    #expect(
      result.media[1].encodings == [
        RTPEncoding(ssrc: 3_192_000_193, rtxSSRC: 11_928_763), RTPEncoding(ssrc: 7, rtxSSRC: 9), RTPEncoding(ssrc: 8),
      ])
    #expect(!result.sdp.contains("simulcast"))
  }

  @Test("a stream keeps its codec when a later offer lists another one first")
  func codecStays() throws {
    var publish = negotiation()
    let offer = try Fixture.text("chromium-publish-first")
    _ = try publish.answer(offer)
    let line = try #require(offer.split(separator: "\r\n").first { $0.hasPrefix("m=video") })
    let words = line.split(separator: " ")
    let reordered = (words[..<3] + [words[5], words[6]] + [words[3], words[4]] + words[7...]).joined(separator: " ")
    let result = try publish.answer(offer.replacingLine(String(line), with: reordered))
    #expect(result.changed.isEmpty && result.media[1].codecs.map(\.name) == ["vp8"])
  }

  @Test("an m-line without a common codec is rejected with port 0, the others continue")
  func noCommonCodec() throws {
    var publish = negotiation()
    let offer = try Fixture.text("aiortc-publish").replacing("VP8/90000", with: "H263/90000").replacing(
      "H264/90000", with: "H261/90000")
    let result = try publish.answer(offer)
    #expect(result.rejected == [RejectedMedia(mid: "1", reason: "no codec in common")])
    #expect(result.media.map(\.mid) == ["0"])
    let answer = try SessionDescription(parsing: result.sdp)
    #expect(answer.media[1].port == 0 && answer.bundle == ["0"])
  }

  @Test("a new ufrag and password are reported as a change of the remote side")
  func iceRestart() throws {
    var publish = negotiation()
    let offer = try Fixture.text("aiortc-publish")
    _ = try publish.answer(offer)
    #expect(try !publish.answer(offer).remoteChanged)
    let ufrag = try publish.answer(offer).remote.credentials.ufrag
    let restart = offer.replacing("a=ice-ufrag:\(ufrag)", with: "a=ice-ufrag:other")
    #expect(publish.restartsICE(restart) && !publish.restartsICE(offer) && !negotiation().restartsICE(restart))
    #expect(try publish.answer(restart).remoteChanged)
  }

  @Test(
    "an offer that violates a rule is rejected and changes nothing",
    arguments: [
      ("a=group:BUNDLE 0 1", nil), ("a=rtcp-mux", nil), ("a=setup:actpass", "a=setup:passive"),
      ("a=setup:actpass", "a=setup:holdconn"), ("a=mid:1", "a=mid:0"), ("a=mid:1", nil), ("a=mid:1", "a=mid:x y"),
      ("a=ssrc-group:FID 3192000193 11928763", "a=ssrc-group:FID 3192000193 3806435921"),
    ] as [(String, String?)])
  func rules(line: String, replacement: String?) throws {
    var publish = negotiation()
    let good = try Fixture.text("chromium-publish-first")
    let bad = good.replacingLine(line, with: replacement)
    #expect(bad != good)
    let error = try #require(throws: NegotiationError.self) { try publish.answer(bad) }
    #expect(!error.description.isEmpty)
    #expect(try publish.answer(good).added.count == 2)
  }

  @Test("an offer without credentials or fingerprint is rejected", arguments: ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:"])
  func missingTransport(prefix: String) throws {
    var publish = negotiation()
    let offer = try Fixture.text("chromium-publish-first").split(separator: "\r\n").filter { !$0.hasPrefix(prefix) }
    #expect(throws: NegotiationError.self) { try publish.answer(offer.joined(separator: "\r\n") + "\r\n") }
  }

  @Test("m-lines may not be removed or reordered")
  func stableLines() throws {
    var publish = negotiation()
    _ = try publish.answer(try Fixture.text("chromium-publish-third-h264"))
    #expect(throws: NegotiationError.self) { try publish.answer(try Fixture.text("chromium-publish-first")) }
    let renamed = try Fixture.text("chromium-publish-third-h264").replacingLine("a=mid:2", with: "a=mid:9")
      .replacingLine("a=group:BUNDLE 0 1 2", with: "a=group:BUNDLE 0 1 9")
    #expect(throws: NegotiationError.self) { try publish.answer(renamed) }
  }

  @Test("more m-lines than the limit are rejected")
  func limit() throws {
    var publish = PublishNegotiation(local: Fixture.local(.server), maximumMedia: 2)
    #expect(throws: NegotiationError.tooManyMedia(limit: 2)) {
      try publish.answer(try Fixture.text("chromium-publish-third-h264"))
    }
  }
}
