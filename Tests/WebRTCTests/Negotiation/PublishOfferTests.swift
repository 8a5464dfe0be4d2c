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
}
