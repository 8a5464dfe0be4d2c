/// What a viewer's offer and its answer settled.
public struct AcceptedView: Sendable, Hashable {
  /// The other end's side of the transport.
  public var remote: TransportParameters
  /// What the other end will send, in the order of the offer.
  public var media: [RTPParameters]
}

/// The client's side of a transport on which it only receives and makes the offer: WHEP's one offer and its answer
/// (draft-ietf-wish-whep).
public struct ViewOffer: Sendable {
  /// The offer as text, one `recvonly` m-line for each codec.
  public let sdp: String
  private let codecs: [RTPCodec]
  private let role: DTLSRole

  /// - Parameters:
  ///   - local: the client's side; its role is `client`, though the offer says `actpass`.
  ///   - codecs: what can be received, each with an m-line of its own: `.opus`, `.vp8`, `.h264(…)`.
  /// - Throws: `refused` for a codec that is not routed.
  public init(local: TransportParameters, codecs: [RTPCodec]) throws(NegotiationError) {
    var sections: [MediaDescription] = []
    for (index, codec) in codecs.enumerated() {
      guard let canonical = codec.canonical else { throw .refused("the codec \(codec.name) is not one that is routed") }
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

  /// Reads the answer.
  /// - Throws: where it can't be read, does not fit the offer, or sends nothing.
  public func accept(answer text: String) throws(NegotiationError) -> AcceptedView {
    let answer = try SessionDescription(negotiating: text)
    guard answer.media.count == codecs.count else {
      throw .refused("the answer has \(answer.media.count) m-lines, and the offer had \(codecs.count)")
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
