import RoomPeers
import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("A single connection: what this side sends on m-lines of the client's offers")
struct SendingLinesTests {
  private var negotiation = PublishNegotiation(local: Fixture.local(.server), simulcast: true, sends: true)
  private var offer = SingleConnectionOffer()

  private func track(_ id: String, _ codec: RTPCodec, number: UInt32 = 1) -> TrackToSend {
    let parameters = RTPParameters(mid: "", kind: codec.name == "opus" ? .audio : .video, codecs: [codec])
    return TrackToSend(parameters, number: number, userID: "bob", trackID: id)
  }

  /// The direction and the track of each m-line of an answer.
  private func lines(_ answered: AnsweredOffer) throws -> [String] {
    let answer = try SessionDescription(parsing: answered.sdp)
    return answer.media.map { section in
      let track = section.attributes.value("msid").map { " " + $0 } ?? ""
      return section.isRejected ? "rejected" : "\(answer.direction(of: section))\(track)"
    }
  }

  @Test("tracks take free m-lines of their kind and codec, and keep them with their SSRCs") mutating func tracks() throws {
    offer.add("audio", "sendonly")
    for kind in ["audio", "video", "video"] { offer.add(kind) }
    let (sound, picture) = (track("a", .opus), track("v", .vp9()))
    let first = try negotiation.answer(offer.sdp, sending: [sound, picture])
    #expect(try lines(first) == ["recvonly", "sendonly bob a", "sendonly bob v", "inactive"])
    #expect(first.media.map(\.mid) == ["0"] && first.sending?.free == [.video: 1])
    let sent = try #require(first.sending?.media)
    #expect(sent.map(\.track) == ["a", "v"] && sent.map(\.parameters.mid) == ["1", "2"])
    #expect(sent[1].parameters.codecs.map(\.payloadType) == [98] && sent[1].parameters.encodings[0].ssrc != nil)

    let second = try negotiation.answer(offer.sdp, sending: [track("w", .vp8), sound, picture])
    #expect(try lines(second) == ["recvonly", "sendonly bob a", "sendonly bob v", "sendonly bob w"])
    #expect(second.sending?.media.prefix(2) == sent[...] && second.added.isEmpty && second.changed.isEmpty)
  }

  @Test("an m-line whose track ends is inactive once before it takes another") mutating func reuse() throws {
    offer.add("audio")
    _ = try negotiation.answer(offer.sdp, sending: [track("a", .opus)])
    let ended = try negotiation.answer(offer.sdp, sending: [track("b", .opus)])
    #expect(try lines(ended) == ["inactive"] && ended.sending?.media == [] && ended.sending?.free == [.audio: 1])
    #expect(try lines(negotiation.answer(offer.sdp, sending: [track("b", .opus)])) == ["sendonly bob b"])
  }

  @Test("a track that begins anew stays on its m-line, on new SSRCs") mutating func anew() throws {
    offer.add("audio")
    let first = try negotiation.answer(offer.sdp, sending: [track("a", .opus)]).sending?.media.first
    let second = try negotiation.answer(offer.sdp, sending: [track("a", .opus, number: 2)]).sending?.media.first
    #expect(first?.parameters.mid == second?.parameters.mid && first?.parameters.encodings != second?.parameters.encodings)
  }

  @Test("a track for which there is no m-line waits; one whose codec no m-line has is rejected") mutating func lacking() throws
  {
    offer.add("video", codecs: ["VP8/90000"])
    let answered = try negotiation.answer(offer.sdp, sending: [track("a", .opus), track("v", .vp9())])
    #expect(try lines(answered) == ["inactive"] && answered.sending?.rejected == ["v"] && answered.sending?.media == [])
  }

  @Test("an m-line that no longer receives sends nothing") mutating func stopped() throws {
    offer.add("audio")
    offer.add("audio")
    _ = try negotiation.answer(offer.sdp, sending: [track("a", .opus)])
    var other = SingleConnectionOffer()
    other.add("audio", "inactive")
    other.add("audio")
    let moved = try negotiation.answer(other.sdp, sending: [track("a", .opus)])
    #expect(try lines(moved) == ["inactive", "sendonly bob a"])
  }

  @Test("the extension of rids is answered, or libwebrtc refuses its own next simulcast; it is not sent") mutating func rids()
    throws
  {
    offer.add("video")
    let rid = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
    let sdp = offer.sdp + "a=extmap:10 \(rid)\r\n"
    let answered = try negotiation.answer(sdp, sending: [track("v", .vp8)])
    #expect(answered.sdp.contains("a=sendonly") && answered.sdp.contains("a=extmap:10 \(rid)\r\n"))
    #expect(answered.sending?.media.first?.parameters.headerExtensions[.rid] == nil)
  }

  @Test("without it, m-lines that receive stay inactive") func receivesOnly() throws {
    var negotiation = PublishNegotiation(local: Fixture.local(.server))
    var offer = SingleConnectionOffer()
    offer.add("audio")
    let answered = try negotiation.answer(offer.sdp, sending: [track("a", .opus)])
    #expect(try lines(answered) == ["inactive"] && answered.sending == nil)
  }
}
