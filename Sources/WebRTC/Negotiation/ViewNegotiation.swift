import RoomRTP

/// An accepted offer of a viewer: the answer to send back, and what may be sent from now on.
public struct AnsweredView: Sendable, Hashable {
  /// The answer as text.
  public var sdp: String
  /// The transport parameters of the viewer.
  public var remote: TransportParameters
  /// One m-line for each kind that the viewer receives, in the order of the offer: all common codecs in the viewer's order of
  /// preference, with its payload types and extension ids, and SSRCs of this side.
  public var media: [RTPParameters]
  /// The m-lines that would receive but have no common codec; the other m-lines of the viewer were answered.
  public var rejected: [RejectedMedia]
}

/// The server's side of a transport on which the client makes the offer and only receives: the single offer of WHEP and its
/// answer.
///
/// - The first audio and the first video m-line that receive are answered `sendonly`, further ones `inactive`, data channels
///   with port 0.
/// - All common codecs are answered, because the stream sent on the m-line may change during the session.
/// - The viewer does not choose what it receives; it gets one stream of each kind, whose SSRCs are chosen here and remain.
public struct ViewNegotiation: Sendable {
  private let local: TransportParameters
  private let maximumMedia: Int
  private let randomSSRC: @Sendable () -> SSRC

  /// Creates the negotiation of one transport.
  /// - Parameters:
  ///   - local: the server's parameters; the role is `server`, the candidates are part of the answer.
  ///   - maximumMedia: the maximum number of m-lines in an offer.
  ///   - randomSSRC: the generator of SSRCs.
  public init(
    local: TransportParameters, maximumMedia: Int = 16,
    randomSSRC: @escaping @Sendable () -> SSRC = { .random() }
  ) {
    self.local = local
    self.maximumMedia = maximumMedia
    self.randomSSRC = randomSSRC
  }

  /// Answers an offer.
  /// - Parameter name: the stream of `a=msid` and the CNAME, so that audio and video are synchronised.
  /// - Throws: `NegotiationError`; also `refused` if the offer receives nothing or only sends.
  public func answer(_ text: String, name: String) throws(NegotiationError) -> AnsweredView {
    let offer = try SessionDescription(negotiating: text)
    guard offer.media.count <= maximumMedia else { throw .tooManyMedia(limit: maximumMedia) }
    let remote = try offer.negotiatedTransport(answeredBy: local)
    let stream = name.sdpToken
    var result = AnsweredView(sdp: "", remote: remote, media: [], rejected: [])
    var sections: [MediaDescription] = []
    for section in offer.media {
      let isFirst = !sections.contains { !$0.isRejected }
      sections.append(answer(section, in: offer, stream: stream, isFirst: isFirst, into: &result))
    }
    guard !result.media.isEmpty || !result.rejected.isEmpty else {
      throw .refused("the offer has no audio or video m-line that receives; a viewer must offer recvonly")
    }
    result.sdp =
      SessionDescription(sessionID: UInt64.random(in: 1..<1 << 62), version: 1, local: local, media: sections).text
    return result
  }

  private func answer(
    _ section: MediaDescription, in offer: SessionDescription, stream: String, isFirst: Bool, into result: inout AnsweredView
  ) -> MediaDescription {
    let refusal = MediaDescription(
      rejected: section.mid, kind: section.kind, transport: section.transport, formats: section.formats)
    guard !section.isRejected, section.isRTP, let kind = RTPParameters.Kind(rawValue: section.kind), let mid = section.mid
    else {
      return refusal
    }
    let codecs = section.codecs.filter { ($0.name == "opus") == (kind == .audio) && $0.canonical != nil }
    let extensions = offer.headerExtensions(of: section, for: codecs).filter { $0.key != .rid && $0.key != .repairedRid }
    let receives = offer.direction(of: section).receives
    guard !codecs.isEmpty else {
      if receives { result.rejected.append(RejectedMedia(mid: mid, reason: "no codec in common")) }
      return refusal
    }
    var parameters = RTPParameters(
      mid: mid, kind: kind, codecs: codecs.map { $0.answered(extensions: extensions) }, headerExtensions: extensions,
      cname: stream, reducedSizeRTCP: section.attributes.has("rtcp-rsize"))
    let isSent = receives && !result.media.contains { $0.kind == kind }
    if isSent {
      let used = Set(result.media.flatMap(\.ssrcs))
      let ssrc = SSRC.unused(besides: used, by: randomSSRC)
      let hasRepair = parameters.codecs.contains { $0.rtxPayloadType != nil }
      let repair = hasRepair ? SSRC.unused(besides: used.union([ssrc]), by: randomSSRC) : nil
      parameters.encodings = [RTPEncoding(ssrc: ssrc, rtxSSRC: repair)]
      result.media.append(parameters)
    }
    var answer = MediaDescription(
      parameters, direction: isSent ? .sendonly : .inactive, transport: section.transport, local: local,
      setup: local.role == .server ? "passive" : "active", carriesCandidates: isFirst)
    if isSent { answer.announce(parameters, stream: stream, track: kind.rawValue) }
    return answer
  }
}
