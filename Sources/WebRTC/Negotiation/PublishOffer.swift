import RTP

/// The client's side of a publish transport: offers the tracks that it sends, and reads the server's answers (RFC 8829).
public struct PublishOffer: Sendable {
  private var offering: OfferedMedia
  private let cname: String

  /// - Parameters:
  ///   - local: the client's side; its role is `client`, though offers say `actpass`.
  ///   - cname: names the client in RTCP; tracks of one CNAME play in sync.
  ///   - maximumMedia: m-lines at the same time.
  ///   - randomSSRC: where SSRCs come from.
  public init(
    local: TransportParameters, cname: String, maximumMedia: Int = 64,
    randomSSRC: @escaping @Sendable () -> SSRC = { .random() }
  ) {
    self.cname = cname.sdpToken
    offering = OfferedMedia(local: local, maximumMedia: maximumMedia, randomSSRC: randomSSRC)
  }

  /// The client's side, as the next offer gives it; candidates found meanwhile are put in here.
  public var local: TransportParameters {
    get { offering.local }
    set { offering.local = newValue }
  }

  /// Something changed that was not offered yet, and no offer waits for its answer.
  public var needsOffer: Bool { offering.needsOffer }
  /// An offer waits for its answer.
  public var isPending: Bool { offering.isPending }

  /// Adds a track that will be sent in this codec.
  /// - Parameters:
  ///   - codec: `.opus`, `.vp8`, `.h264(…)` with its level, `.vp9(…)` or `.av1(…)`.
  ///   - trackID: the track of `a=msid`.
  /// - Returns: mid and SSRCs; what may be sent comes with the answer.
  /// - Throws: `tooManyMedia`, or `refused` for a codec that is not routed.
  public mutating func add(_ codec: RTPCodec, trackID: String) throws(NegotiationError) -> RTPParameters {
    guard let canonical = codec.canonical else { throw .refused("the codec \(codec.name) is not one that is routed") }
    return try offering.add(
      kind: canonical.name == "opus" ? .audio : .video, codecs: [canonical.at(codec.h264Level)], cname: cname, stream: cname,
      track: trackID.sdpToken)
  }

  /// Takes the track off its m-line; an unknown mid is ignored.
  public mutating func remove(mid: Mid) { offering.remove(mid: mid) }

  /// The next offer, with all m-lines.
  public mutating func makeOffer() -> String { offering.makeOffer() }

  /// Reads the answer to the last offer. A failure leaves the offer waiting.
  public mutating func accept(answer: String) throws(NegotiationError) -> AcceptedAnswer { try offering.accept(answer) }
}
