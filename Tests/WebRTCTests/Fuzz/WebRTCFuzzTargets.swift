import RTP

@testable import WebRTC

/// What the fuzzer feeds, by name. The tests run the stored inputs through the same code.
let webRTCFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "stun": fuzzSTUN, "dtls": fuzzDTLSRecords, "sdp": fuzzSessionDescription, "publish": fuzzPublish,
  "subscribe": fuzzSubscribe,
]

@Sendable private func fuzzSTUN(_ bytes: UnsafeRawBufferPointer) {
  _ = STUN.localFragment(of: bytes)
  _ = STUNMessage(parsing: bytes)?.isSigned(with: "password".utf8)
}

@Sendable private func fuzzDTLSRecords(_ bytes: UnsafeRawBufferPointer) {
  _ = DatagramKind.classify(bytes)
  var offset = 0
  while let record = DTLSRecord(bytes, at: offset) { offset = record.range.upperBound }
  var flight = DTLSFlight()
  _ = flight.replace(with: Array(bytes), mtu: 1200)
  _ = flight.repeated(mtu: 1200)
}

@Sendable private func fuzzSessionDescription(_ bytes: UnsafeRawBufferPointer) {
  guard let description = try? SessionDescription(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
  _ = try? description.transport()
  for section in description.media {
    _ = section.codecs.map { ($0.canonical, $0.offeredForms) }
    _ = (section.headerExtensions, section.streams, section.simulcastRids, description.direction(of: section))
  }
  precondition((try? SessionDescription(parsing: description.text)) != nil, "what is written can be read")
}

@Sendable private func fuzzPublish(_ bytes: UnsafeRawBufferPointer) {
  let text = String(decoding: bytes, as: UTF8.self)
  var publish = PublishNegotiation(local: side(.server), simulcast: true)
  if let answered = try? publish.answer(text) {
    precondition((try? SessionDescription(parsing: answered.sdp)) != nil, "what is answered can be read")
    _ = try? publish.answer(text)
  }
  var offer = PublishOffer(local: side(.client), cname: "c", randomSSRC: { 5 })
  _ = try? offer.add(.opus, trackID: "a")
  _ = offer.makeOffer()
  _ = try? offer.accept(answer: text)
}

@Sendable private func fuzzSubscribe(_ bytes: UnsafeRawBufferPointer) {
  let text = String(decoding: bytes, as: UTF8.self)
  var subscribe = SubscribeNegotiation(local: side(.server))
  for (kind, codec) in [(RTPParameters.Kind.audio, RTPCodec.opus), (.video, .vp8)] {
    _ = try? subscribe.add(RTPParameters(mid: "", kind: kind, codecs: [codec]), userID: "u", trackID: "t")
  }
  _ = subscribe.makeOffer()
  _ = try? subscribe.accept(answer: text)
  var answer = SubscribeAnswer(local: side(.client), accepts: { _ in true })
  if (try? answer.answer(text)) != nil { _ = try? answer.answer(text) }
}

private func side(_ role: DTLSRole) -> TransportParameters {
  TransportParameters(
    credentials: ICECredentials(ufrag: "fragment", password: "abcdefghijklmnopqrstuvwx"),
    fingerprints: [Fingerprint(algorithm: "sha-256", bytes: Array(repeating: 0xA5, count: 32))], role: role,
    iceLite: role == .server, candidates: [])
}
