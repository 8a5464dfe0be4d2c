import RoomFuzzSupport
import RoomRTP

@testable import RoomWebRTC

@Sendable func fuzzSessionDescription(_ bytes: UnsafeRawBufferPointer) {
  guard let description = try? SessionDescription(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
  _ = try? description.transport()
  for section in description.media {
    _ = section.codecs.map { ($0.canonical, $0.offeredForms) }
    _ = (section.headerExtensions, section.streams, section.simulcastRids, description.direction(of: section))
  }
  precondition((try? SessionDescription(parsing: description.text)) != nil, "the written text is parseable")
}

@Sendable func fuzzICEFragment(_ bytes: UnsafeRawBufferPointer) {
  guard let fragment = try? ICEFragment(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
  let text = fragment.text
  precondition(text.isEmpty || (try? ICEFragment(parsing: text)) != nil, "the written text is parseable")
}

/// Feeds successive offers for a publish transport, separated by NUL bytes.
@Sendable func fuzzPublish(_ bytes: UnsafeRawBufferPointer) {
  var negotiation = PublishNegotiation(local: side(.server), simulcast: true)
  for text in texts(bytes).prefix(4) {
    guard let answered = try? negotiation.answer(description(text)) else { continue }
    precondition((try? SessionDescription(parsing: answered.sdp)) != nil, "the answer is parseable")
  }
}

/// Feeds successive offers of a client with a single connection, while tracks for it come and go.
@Sendable func fuzzSingleConnection(_ bytes: UnsafeRawBufferPointer) {
  var negotiation = PublishNegotiation(local: side(.server), simulcast: true, sends: true, randomSSRC: { 5 })
  let codecs = [RTPCodec.opus, .vp8, .opus, .h264(), .vp9()]
  let tracks = codecs.enumerated().map { index, codec in
    let parameters = RTPParameters(mid: "", kind: codec.name == "opus" ? .audio : .video, codecs: [codec])
    return TrackToSend(parameters, number: UInt32(index), userID: "u", trackID: "t\(index)")
  }
  for (index, text) in texts(bytes).prefix(4).enumerated() {
    let wanted = Array(tracks.dropFirst(index).prefix(3))
    guard let answered = try? negotiation.answer(description(text), sending: wanted), let sending = answered.sending else {
      continue
    }
    guard let answer = try? SessionDescription(parsing: answered.sdp) else { preconditionFailure("the answer is parseable") }
    let mids = sending.media.map(\.parameters.mid)
    precondition(Set(mids).count == mids.count && Set(sending.media.map(\.track)).count == mids.count, "one track an m-line")
    precondition(answer.media.count { answer.direction(of: $0) == .sendonly && !$0.isRejected } == mids.count)
    let ssrcs = sending.media.flatMap(\.parameters.encodings).flatMap { [$0.ssrc, $0.rtxSSRC].compactMap { $0 } }
    precondition(Set(ssrcs).count == ssrcs.count, "SSRCs differ")
  }
}

/// Feeds answers to a client's offers.
@Sendable func fuzzPublishAnswer(_ bytes: UnsafeRawBufferPointer) {
  var offer = PublishOffer(local: side(.client), cname: "c", randomSSRC: { 5 })
  for text in texts(bytes).prefix(4) {
    _ = try? offer.add(.opus, trackID: "a")
    _ = try? offer.add(.vp8, trackID: "v")
    _ = offer.makeOffer()
    _ = try? offer.accept(answer: description(text))
  }
}

/// Feeds answers to a subscribe transport's offers.
@Sendable func fuzzSubscribe(_ bytes: UnsafeRawBufferPointer) {
  var negotiation = SubscribeNegotiation(local: side(.server))
  for text in texts(bytes).prefix(4) {
    for (kind, codec) in [(RTPParameters.Kind.audio, RTPCodec.opus), (.video, .vp8)] {
      _ = try? negotiation.add(RTPParameters(mid: "", kind: kind, codecs: [codec]), userID: "u", trackID: "t")
    }
    _ = negotiation.makeOffer()
    _ = try? negotiation.accept(answer: description(text))
  }
}

/// Feeds a server's offers to a client.
@Sendable func fuzzSubscribeOffer(_ bytes: UnsafeRawBufferPointer) {
  var answer = SubscribeAnswer(local: side(.client), accepts: { _ in true })
  for text in texts(bytes).prefix(4) {
    guard let answered = try? answer.answer(description(text)) else { continue }
    precondition((try? SessionDescription(parsing: answered.sdp)) != nil, "the answer is parseable")
  }
}

/// Feeds offers of a viewer.
@Sendable func fuzzView(_ bytes: UnsafeRawBufferPointer) {
  let negotiation = ViewNegotiation(local: side(.server), randomSSRC: { 5 })
  guard let view = try? negotiation.answer(description(String(decoding: bytes, as: UTF8.self)), name: "u") else { return }
  precondition((try? SessionDescription(parsing: view.sdp)) != nil, "the answer is parseable")
}

private func side(_ role: DTLSRole) -> TransportParameters {
  TransportParameters(
    credentials: ICECredentials(ufrag: "fragment", password: "abcdefghijklmnopqrstuvwx"),
    fingerprints: [Fingerprint(algorithm: "sha-256", bytes: Array(repeating: 0xA5, count: 32))], role: role,
    iceLite: role == .server, candidates: [])
}
