import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite struct PublishOfferTests {
  @Test(
    "each routable codec is offered, answered and negotiated",
    arguments: [
      .opus, .vp8, .vp9(), .vp9(profile: 2), .av1(), .h264(), .h264(.baseline), .h264(.main), .h264(.constrainedHigh),
      .h264(.constrainedBaseline, packetizationMode: 0),
    ] as [RTPCodec])
  func agreement(codec: RTPCodec) throws {
    var client = PublishOffer(local: Fixture.local(.client), cname: "ann")
    var server = PublishNegotiation(local: Fixture.local(.server))
    let added = try client.add(codec, trackID: "camera")
    let answer = try server.answer(client.makeOffer())
    #expect(answer.remote.credentials.ufrag == "clientUF" && answer.remote.candidates.count == 1)
    let result = try client.accept(answer: answer.sdp)
    #expect(result.remote?.role == .server && result.remote?.iceLite == true)
    let sends = try #require(result.accepted.first)
    let receives = try #require(answer.added.first)
    #expect(sends.codecs.first?.matches(codec) == true)
    #expect(sends.codecs == receives.codecs && sends.headerExtensions == receives.headerExtensions)
    #expect(sends.encodings == receives.encodings && sends.encodings == added.encodings && sends.cname == receives.cname)
    #expect(sends.codecs.first?.feedback.isSuperset(of: [.nack, .transportCC]) == true)
    #expect(sends.codecs.first?.rtxPayloadType != nil && sends.encodings[0].rtxSSRC != nil)
  }

  @Test("tracks are added and removed on one connection, and idle m-lines are reused")
  func renegotiation() throws {
    var client = PublishOffer(local: Fixture.local(.client), cname: "ann")
    var server = PublishNegotiation(local: Fixture.local(.server))
    let first = try client.add(.vp8, trackID: "a")
    _ = try client.accept(answer: try server.answer(client.makeOffer()).sdp)
    let second = try client.add(.opus, trackID: "b")
    var answer = try server.answer(client.makeOffer())
    #expect(answer.added.map(\.mid) == [second.mid] && answer.media.count == 2)
    #expect(try client.accept(answer: answer.sdp).accepted.map(\.mid) == [second.mid])

    client.remove(mid: first.mid)
    #expect(client.needsOffer)
    answer = try server.answer(client.makeOffer())
    #expect(answer.removed == [first.mid])
    _ = try client.accept(answer: answer.sdp)

    let third = try client.add(.vp8, trackID: "c")
    #expect(third.mid == first.mid && third.encodings != first.encodings)
    answer = try server.answer(client.makeOffer())
    #expect(answer.added.map(\.mid) == [third.mid])
    _ = try client.accept(answer: answer.sdp)
    client.remove(mid: "nobody")
    #expect(!client.needsOffer)
  }

  @Test("the layers of a simulcast are offered and answered in their order", arguments: [.vp8, .h264(.high)] as [RTPCodec])
  func simulcast(codec: RTPCodec) throws {
    var client = PublishOffer(local: Fixture.local(.client), cname: "ann")
    var server = PublishNegotiation(local: Fixture.local(.server), simulcast: true)
    let rids: [Rid] = ["q", "h", "f"]
    let added = try client.add(codec, trackID: "camera", rids: rids)
    let offer = client.makeOffer()
    for line in ["a=rid:q send", "a=rid:h send", "a=rid:f send", "a=simulcast:send q;h;f"] { #expect(offer.contains(line)) }
    let answer = try server.answer(offer)
    #expect(answer.media.first?.encodings.map(\.rid) == rids)
    let sends = try #require(try client.accept(answer: answer.sdp).accepted.first)
    #expect(sends.encodings == added.encodings && sends.encodings.map(\.rid) == rids)
    #expect(Set(sends.encodings.flatMap { [$0.ssrc, $0.rtxSSRC] }.compactMap { $0 }).count == 6)
    #expect(sends.headerExtensions[.rid] != nil && sends.headerExtensions[.repairedRid] != nil)
    // The next offer repeats the layers.
    _ = try client.add(.opus, trackID: "microphone")
    let next = try server.answer(client.makeOffer())
    #expect(next.changed.isEmpty && next.media.first?.encodings.map(\.rid) == rids)
  }

  @Test("without simulcast in the answer the last layer is sent alone")
  func noSimulcast() throws {
    var client = PublishOffer(local: Fixture.local(.client), cname: "ann")
    var server = PublishNegotiation(local: Fixture.local(.server))
    let added = try client.add(.vp8, trackID: "camera", rids: ["q", "f"])
    let sends = try #require(try client.accept(answer: try server.answer(client.makeOffer()).sdp).accepted.first)
    #expect(sends.encodings.map(\.rid) == [nil])
    #expect(sends.encodings.first?.ssrc == added.encodings.last?.ssrc && sends.encodings.first?.rtxSSRC != nil)
    #expect(sends.headerExtensions[.rid] == nil)
  }

  @Test("a rid that RFC 8851 does not allow is refused", arguments: [["a", "a"], ["", "b"], ["a b"], ["seventeen17letter"]])
  func badRids(rids: [String]) {
    var client = PublishOffer(local: Fixture.local(.client), cname: "ann")
    #expect(throws: NegotiationError.self) { try client.add(.vp8, trackID: "camera", rids: rids.map { Rid($0) }) }
  }
}
