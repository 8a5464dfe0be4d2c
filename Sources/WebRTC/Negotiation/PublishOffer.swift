import RoomRTP

/// The client's side of a publish transport: offers the tracks that it sends and processes the server's answers (RFC 8829).
public struct PublishOffer: Sendable {
  private var offering: OfferedMedia
  private let cname: String

  /// Creates the offering side of one transport.
  /// - Parameters:
  ///   - local: the client's parameters; the role is `client`, although offers contain `actpass`.
  ///   - cname: identifies the client in RTCP; tracks with the same CNAME are synchronised.
  ///   - maximumMedia: the maximum number of m-lines at the same time.
  ///   - randomSSRC: the generator of SSRCs.
  public init(
    local: TransportParameters, cname: String, maximumMedia: Int = 64,
    randomSSRC: @escaping @Sendable () -> SSRC = { .random() }
  ) {
    self.cname = cname.sdpToken
    offering = OfferedMedia(local: local, maximumMedia: maximumMedia, randomSSRC: randomSSRC)
  }

  /// The client's parameters for the next offer; add candidates that are found meanwhile here.
  public var local: TransportParameters {
    get { offering.local }
    set { offering.local = newValue }
  }

  /// Whether there are changes to offer and no offer is pending.
  public var needsOffer: Bool { offering.needsOffer }
  /// Whether an offer is pending.
  public var isPending: Bool { offering.isPending }

  /// Adds a track that will be sent in this codec.
  /// - Parameters:
  ///   - codec: `.opus`, `.vp8`, `.h264(…)` with its level, `.vp9(…)` or `.av1(…)`.
  ///   - trackID: the track of `a=msid`.
  ///   - rids: the layers of a simulcast (RFC 8853), the smallest first; empty without. If the answer has no simulcast, the last
  ///     one is sent alone.
  /// - Returns: the mid and SSRCs; the answer determines what may be sent.
  /// - Throws: `tooManyMedia`, or `refused` for a codec that is not routable or a rid that RFC 8851 does not allow.
  public mutating func add(_ codec: RTPCodec, trackID: String, rids: [Rid] = []) throws(NegotiationError) -> RTPParameters {
    guard rids.allSatisfy(\.isValid), Set(rids).count == rids.count else {
      throw .refused("the layers need different names of 1 to 16 letters and digits")
    }
    guard let canonical = codec.canonical else { throw .refused("the codec \(codec.name) is not supported") }
    return try offering.add(
      kind: canonical.name == "opus" ? .audio : .video, codecs: [canonical.at(codec.h264Level)], rids: rids, cname: cname,
      stream: cname, track: trackID.sdpToken)
  }

  /// Offers data channels; `AcceptedAnswer.data` tells whether the other end accepts them.
  /// - Throws: `tooManyMedia`.
  public mutating func addDataChannels() throws(NegotiationError) { try offering.addData() }

  /// Removes the track from its m-line; ignores an unknown mid.
  public mutating func remove(mid: Mid) { offering.remove(mid: mid) }

  /// Returns the next offer, with all m-lines.
  public mutating func makeOffer() -> String { offering.makeOffer() }

  /// Processes the answer to the last offer. If it fails, the offer remains pending.
  public mutating func accept(answer: String) throws(NegotiationError) -> AcceptedAnswer { try offering.accept(answer) }
}
