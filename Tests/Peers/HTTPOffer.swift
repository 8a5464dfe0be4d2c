import RoomProtocol
import RoomWebRTC

/// Offers of WHIP and WHEP clients without media.
package enum HTTPOffer {
  package static func publish(_ codecs: RTPCodec...) throws -> String {
    var publisher = TestPublisher()
    return try publisher.publish(codecs).sdp
  }

  /// Returns an offer with an m-line for each codec.
  package static func view(_ codecs: RTPCodec...) -> String {
    var publisher = TestPublisher()
    let offer = (try? publisher.publish(codecs).sdp) ?? ""
    return offer.split(separator: "\r\n").filter { !$0.hasPrefix("a=ssrc") && !$0.hasPrefix("a=msid:") }
      .map { ($0 == "a=sendonly" ? "a=recvonly" : $0) + "\r\n" }.joined()
  }
}
