import RTP

/// The server's side of a subscribe transport: offers the tracks that a client receives, and reads its answers (RFC 8829).
///
/// - Codecs are offered under the canonical payload types of ``RTPCodec/canonical``; header extensions under their canonical ids.
/// - A removed track leaves an inactive m-line, which the next track of its codec takes under the same mid; an m-line that the
///   client refused is closed and recycled under a new mid.
/// - One offer at a time: make one when ``needsOffer`` says so; what is added or removed while it waits for its answer makes
///   ``needsOffer`` true again after the answer.
public struct SubscribeNegotiation: Sendable {
  private var offering: OfferedMedia

  /// - Parameters:
  ///   - local: the server's side; its role is `server`, though offers say `actpass`.
  ///   - maximumMedia: m-lines at the same time. Chromium's answer has about 0.9 kB for each of audio and 1.4 kB for one of H.264, so 48 of
  ///     them stay under the 64 KiB of a signalling message.
  ///   - randomSSRC: where SSRCs come from.
  public init(
    local: TransportParameters, maximumMedia: Int = 48,
    randomSSRC: @escaping @Sendable () -> SSRC = { .random() }
  ) {
    offering = OfferedMedia(local: local, maximumMedia: maximumMedia, randomSSRC: randomSSRC)
  }

  /// The server's side, as the next offer gives it.
  public var local: TransportParameters {
    get { offering.local }
    set { offering.local = newValue }
  }

  /// Something changed that the client has not been offered, and no offer waits for its answer.
  public var needsOffer: Bool { offering.needsOffer }
  /// An offer waits for its answer.
  public var isPending: Bool { offering.isPending }

  /// Adds a track.
  /// - Parameters:
  ///   - source: what the publisher sends: its kind and first codec count.
  ///   - userID: the publisher; becomes the stream of `a=msid` and the CNAME, so that its tracks play in sync.
  ///   - trackID: becomes the track of `a=msid`.
  /// - Returns: the mid of its m-line.
  /// - Throws: `tooManyMedia`, or `refused` for a codec that is not routed.
  public mutating func add(_ source: RTPParameters, userID: String, trackID: String) throws(NegotiationError) -> Mid {
    guard let codec = source.codecs.first, codec.canonical != nil else {
      throw .refused("the track's codec is not one that is routed")
    }
    return try offering.add(
      kind: source.kind, codecs: codec.offeredForms, cname: userID.sdpToken, stream: userID.sdpToken, track: trackID.sdpToken
    ).mid
  }

  /// Takes the track off its m-line; an unknown mid is ignored.
  public mutating func remove(mid: Mid) { offering.remove(mid: mid) }

  /// The next offer, with all m-lines.
  public mutating func makeOffer() -> String { offering.makeOffer() }

  /// Reads the answer to the last offer. A failure leaves the offer waiting.
  public mutating func accept(answer: String) throws(NegotiationError) -> AcceptedAnswer { try offering.accept(answer) }
}
