import RoomRTP
import RoomProtocol
import RoomWebRTC

/// The session descriptions of a client without media, sufficient for signalling.
package enum Descriptions {
  package static func transport() -> TransportParameters {
    TransportParameters(
      credentials: .random(), fingerprints: [Fingerprint(algorithm: "sha-256", bytes: [UInt8](repeating: 7, count: 32))],
      role: .client)
  }
}

/// A publisher's offers.
package struct TestPublisher {
  private var offer = PublishOffer(local: Descriptions.transport(), cname: "test")
  private var count = 0

  package init() {}

  /// Returns an offer with these codecs added, and the tracks that it adds.
  package mutating func publish(_ codecs: [RTPCodec], tag: String = "camera") throws -> PublishParams {
    var tracks: [NewTrack] = []
    for codec in codecs {
      count += 1
      let parameters = try offer.add(codec, trackID: "local\(count)")
      tracks.append(NewTrack(mid: parameters.mid.rawValue, kind: codec.name == "opus" ? .audio : .video, tag: tag))
    }
    return PublishParams(sdp: offer.makeOffer(), tracks: tracks)
  }

  package mutating func accept(_ result: PublishResult) throws { _ = try offer.accept(answer: result.sdp) }

  package mutating func remove(mid: String) { offer.remove(mid: Mid(mid)) }
}
