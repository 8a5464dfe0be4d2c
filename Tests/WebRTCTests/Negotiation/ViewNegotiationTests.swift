import Testing

@testable import RoomWebRTC

@Suite struct ViewNegotiationTests {
  private let negotiation = ViewNegotiation(local: Fixture.local(.server), randomSSRC: { 77 })

  /// Returns an offer of a viewer: Chromium's first publish offer with the direction reversed.
  private func offer(_ direction: String = "recvonly") throws -> String {
    try Fixture.text("chromium-publish-first").split(separator: "\r\n").filter {
      !$0.hasPrefix("a=ssrc") && !$0.hasPrefix("a=msid:")
    }
    .map { $0 == "a=sendonly" || $0 == "a=sendrecv" ? "a=" + direction : String($0) }.joined(separator: "\r\n") + "\r\n"
  }

  @Test("a viewer's offer is answered sendonly, with all routable codecs and local SSRCs")
  func answered() throws {
    let view = try negotiation.answer(try offer(), name: "alice")
    #expect(view.media.map(\.kind) == [.audio, .video] && view.rejected.isEmpty)
    #expect(view.media[0].codecs.map(\.name) == ["opus"])
    let video = view.media[1]
    #expect(Set(video.codecs.map(\.name)).isSuperset(of: ["vp8", "h264", "vp9"]))
    #expect(video.codecs.allSatisfy { $0.canonical != nil })
    #expect(video.codecs[0].payloadType == 96 && video.codecs[0].rtxPayloadType == 97)
    #expect(video.headerExtensions[.mid] == 4 && video.headerExtensions[.rid] == nil)
    // The viewer's feedback is what its path, and so its layer of a simulcast, is estimated from.
    #expect(video.headerExtensions[.transportSequence] != nil && video.codecs[0].feedback.contains(.transportCC))
    let ssrcs = view.media.flatMap(\.encodings).flatMap { [$0.ssrc, $0.rtxSSRC] }.compactMap { $0 }
    #expect(Set(ssrcs).count == ssrcs.count && ssrcs.count == 3, "a repeating generator is harmless")

    let answer = try SessionDescription(parsing: view.sdp)
    #expect(answer.media.allSatisfy { answer.direction(of: $0) == .sendonly && $0.attributes.value("setup") == "passive" })
    #expect(answer.bundle == ["0", "1"] && answer.attributes.has("ice-lite"))
    #expect(answer.media.map { $0.attributes.value("msid") } == ["alice audio", "alice video"])
    #expect(answer.media[0].attributes.values("candidate").count == 1 && answer.media[1].attributes.values("candidate").isEmpty)
    let read = answer.media[1].streams
    #expect(read.cname == "alice" && read.encodings == view.media[1].encodings)
  }

  @Test("this project's client accepts the answer")
  func roundTrip() throws {
    let view = try negotiation.answer(try offer(), name: "alice")
    // Reads the answer as an offer: the sent media must match the negotiated media.
    var reader = SubscribeAnswer(local: Fixture.local(.client), accepts: { _ in true })
    let read = try reader.answer(view.sdp)
    #expect(read.media.map { $0.encodings.first?.ssrc } == view.media.map { $0.encodings.first?.ssrc })
  }

  @Test("an offer that only sends, and one without media m-lines, are rejected")
  func receivesNothing() throws {
    for direction in ["sendonly", "inactive"] {
      #expect(throws: NegotiationError.self) { try negotiation.answer(try offer(direction), name: "a") }
    }
    #expect(throws: NegotiationError.self) { try negotiation.answer("v=0\r\no=- 1 1 IN IP4 0\r\n", name: "a") }
  }

  @Test("m-lines without a common codec are reported; those of a kind that is already sent stay inactive")
  func partial() throws {
    let offered = try offer()
    let foreign = offered.replacing("opus/48000/2", with: "speex/16000").replacing("PCM", with: "XYZ")
    let view = try negotiation.answer(foreign, name: "a")
    #expect(view.rejected.map(\.mid) == ["0"] && view.media.map(\.mid) == ["1"])

    let lines = offered.split(separator: "\r\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("m=video") })
    let second = lines[start...].map { $0 == "a=mid:1" ? "a=mid:2" : String($0) }
    let twice =
      (lines.map { $0 == "a=group:BUNDLE 0 1" ? "a=group:BUNDLE 0 1 2" : String($0) } + second).joined(separator: "\r\n")
      + "\r\n"
    let answered = try negotiation.answer(twice, name: "a")
    #expect(answered.media.map(\.mid) == ["0", "1"])
    let answer = try SessionDescription(parsing: answered.sdp)
    #expect(answer.direction(of: answer.media[2]) == .inactive && !answer.media[2].isRejected)
  }

  @Test("an offer with the DTLS role server is rejected, and one with the role client is accepted")
  func roles() throws {
    let offered = try offer()
    #expect(throws: NegotiationError.self) {
      try negotiation.answer(offered.replacing("a=setup:actpass", with: "a=setup:passive"), name: "a")
    }
    #expect(
      try negotiation.answer(offered.replacing("a=setup:actpass", with: "a=setup:active"), name: "a").remote.role == .client)
  }

  @Test("more m-lines than a viewer can use are rejected")
  func tooMany() throws {
    #expect(throws: NegotiationError.tooManyMedia(limit: 1)) {
      try ViewNegotiation(local: Fixture.local(.server), maximumMedia: 1).answer(try offer(), name: "a")
    }
  }
}
