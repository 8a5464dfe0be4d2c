/// The result of a viewer's offer and its answer.
public struct AcceptedView: Sendable, Hashable {
  /// The transport parameters of the other end.
  public var remote: TransportParameters
  /// The media that the other end will send, in the order of the offer.
  public var media: [RTPParameters]
}

/// The client's side of a transport on which it makes the offer and only receives: the single offer of WHEP and its answer
/// (draft-ietf-wish-whep).
public struct ViewOffer: Sendable {
  /// The offer as text, with one `recvonly` m-line for each codec.
  public let sdp: String
  private let codecs: [RTPCodec]
  private let role: DTLSRole

  /// Creates the offer.
  /// - Parameters:
  ///   - local: the client's parameters; the role is `client`, although the offer contains `actpass`.
  ///   - codecs: the supported codecs, each with its own m-line: `.opus`, `.vp8`, `.h264(…)`.
  /// - Throws: `refused` for a codec that is not routable.
  public init(local: TransportParameters, codecs: [RTPCodec]) throws(NegotiationError) {
    var sections: [MediaDescription] = []
    for (index, codec) in codecs.enumerated() {
      guard let canonical = codec.canonical else { throw .refused("the codec \(codec.name) is not supported") }
      let kind: RTPParameters.Kind = canonical.name == "opus" ? .audio : .video
      let extensions = [RTPHeaderExtension.mid, .absSendTime, .transportSequence] + (kind == .audio ? [.audioLevel] : [])
      let parameters = RTPParameters(
        mid: "\(index)", kind: kind, codecs: [canonical],
        headerExtensions: Dictionary(uniqueKeysWithValues: extensions.map { ($0, $0.canonicalID) }))
      sections.append(
        MediaDescription(parameters, direction: .recvonly, local: local, setup: "actpass", carriesCandidates: index == 0))
    }
    self.codecs = codecs
    role = local.role ?? .client
    sdp = SessionDescription(sessionID: UInt64.random(in: 1..<1 << 62), version: 1, local: local, media: sections).text
  }

  /// Processes the answer.
  /// - Throws: `NegotiationError` if the answer cannot be parsed, does not match the offer, or sends nothing.
  public func accept(answer text: String) throws(NegotiationError) -> AcceptedView {
    let answer = try SessionDescription(negotiating: text)
    guard answer.media.count == codecs.count else {
      throw .refused("the answer has \(answer.media.count) m-lines, but the offer had \(codecs.count)")
    }
    var media: [RTPParameters] = []
    for section in answer.media where !section.isRejected && answer.direction(of: section).sends {
      guard let kind = RTPParameters.Kind(rawValue: section.kind), let mid = section.mid else { continue }
      let (encodings, cname) = section.streams
      media.append(
        RTPParameters(
          mid: mid, kind: kind, codecs: section.codecs, headerExtensions: section.headerExtensions, encodings: encodings,
          cname: cname, reducedSizeRTCP: section.attributes.has("rtcp-rsize")))
    }
    guard !media.isEmpty else { throw .refused("the answer sends nothing") }
    var remote = try answer.negotiatedTransport()
    guard remote.role != role else {
      throw .refused("a=setup of the answer is not \(role == .client ? "passive" : "active")")
    }
    remote.role = role == .client ? .server : .client
    return AcceptedView(remote: remote, media: media)
  }
}
