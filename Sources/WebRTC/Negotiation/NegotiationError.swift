import RoomRTP

/// The reason why an offer or answer cannot be accepted. The negotiation state is unchanged.
public enum NegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The description cannot be parsed, or lacks required transport parameters.
  case unreadable(SDPError)
  /// The description violates a rule of offer/answer or of this project; the sentence states which.
  case refused(String)
  /// An answer arrived while no offer was pending.
  case noOfferPending
  /// The transport has reached its maximum number of m-lines.
  case tooManyMedia(limit: Int)

  public var description: String {
    switch self {
    case .unreadable(let error): error.description
    case .refused(let sentence): sentence
    case .noOfferPending: "no offer is pending"
    case .tooManyMedia(let limit): "a transport supports at most \(limit) m-lines"
    }
  }
}

/// An m-line that cannot carry media, and the reason.
public struct RejectedMedia: Sendable, Hashable {
  public var mid: Mid
  /// A sentence without a full stop.
  public var reason: String

  public init(mid: Mid, reason: String) {
    self.mid = mid
    self.reason = reason
  }
}

extension SessionDescription {
  /// Parses a description and checks the requirements of every WebRTC description: mids, one bundle, rtcp-mux.
  init(negotiating text: String) throws(NegotiationError) {
    do { try self.init(parsing: text) } catch { throw .unreadable(error) }
    var mids: Set<Mid> = []
    let bundle = Set(self.bundle)
    let live = media.filter { !$0.isRejected }
    for section in media {
      guard let mid = section.mid, !mid.rawValue.isEmpty else {
        if section.isRejected { continue }
        throw .unreadable(SDPError(line: section.line, "the m-line has no a=mid"))
      }
      guard mid.rawValue.utf8.count <= 32, mid.rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw .unreadable(SDPError(line: section.line, "a=mid is longer than 32 characters or not a token"))
      }
      guard mids.insert(mid).inserted else {
        throw .unreadable(SDPError(line: section.line, "a=mid:\(mid) is used by two m-lines"))
      }
      if section.isRejected { continue }
      if live.count > 1 && !bundle.contains(mid) {
        throw .refused("m-line \(mid) is not in a=group:BUNDLE, but all media must share one transport")
      }
      if section.isRTP && !section.attributes.has("rtcp-mux") {
        throw .refused("m-line \(mid) has no a=rtcp-mux, but RTP and RTCP must share one port")
      }
    }
  }

  /// Returns the transport parameters of an offer, whose DTLS role must be compatible with the local one.
  func negotiatedTransport(answeredBy local: TransportParameters) throws(NegotiationError) -> TransportParameters {
    let transport = try negotiatedTransport()
    guard transport.role == nil || transport.role != local.role else {
      throw .refused(
        "a=setup of the offer is \(local.role == .server ? "passive" : "active"), the role of this side; offer actpass")
    }
    return transport
  }

  func negotiatedTransport() throws(NegotiationError) -> TransportParameters {
    do { return try transport() } catch { throw .unreadable(error) }
  }
}

extension MediaDescription {
  /// Whether this is audio or video over DTLS-SRTP.
  var isRTP: Bool {
    (kind == "audio" || kind == "video") && (transport == "UDP/TLS/RTP/SAVPF" || transport == "UDP/TLS/RTP/SAVP")
  }
}
