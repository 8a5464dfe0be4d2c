import RoomRTP

/// The server's side of a subscribe transport: offers the tracks that a client receives and processes its answers (RFC 8829).
///
/// - Codecs are offered with the canonical payload types of ``RTPCodec/canonical``, header extensions with their canonical ids.
/// - A removed track leaves an inactive m-line, which the next track of its codec reuses with the same mid. An m-line that the
///   client rejected is closed and recycled under a new mid.
/// - One offer is pending at a time: make one when ``needsOffer`` is true. Tracks that are added or removed while it is pending
///   make ``needsOffer`` true again after the answer.
public struct SubscribeNegotiation: Sendable {
  private var offering: OfferedMedia

  /// Creates the negotiation of one transport.
  /// - Parameters:
  ///   - local: the server's parameters; the role is `server`, although offers contain `actpass`.
  ///   - maximumMedia: the maximum number of m-lines at the same time. Chromium's answer has about 0.9 kB for each audio m-line
  ///     and 1.4 kB for each H.264 one, so 48 of them stay under the 64 KiB of a signalling message.
  ///   - randomSSRC: the generator of SSRCs.
  public init(
    local: TransportParameters, maximumMedia: Int = 48,
    randomSSRC: @escaping @Sendable () -> SSRC = { .random() }
  ) {
    offering = OfferedMedia(
      local: local, maximumMedia: maximumMedia, videoExtensions: [.playoutDelay], randomSSRC: randomSSRC)
  }

  /// The server's parameters for the next offer.
  public var local: TransportParameters {
    get { offering.local }
    set { offering.local = newValue }
  }

  /// Whether there are changes that were not offered to the client and no offer is pending.
  public var needsOffer: Bool { offering.needsOffer }
  /// Whether an offer is pending.
  public var isPending: Bool { offering.isPending }

  /// Adds a track.
  /// - Parameters:
  ///   - source: the published stream; only its kind and first codec are used.
  ///   - userID: the publisher; becomes the stream of `a=msid` and the CNAME, so that its tracks are synchronised.
  ///   - trackID: becomes the track of `a=msid`.
  /// - Returns: the mid of its m-line.
  /// - Throws: `tooManyMedia`, or `refused` for a codec that is not routable.
  public mutating func add(_ source: RTPParameters, userID: String, trackID: String) throws(NegotiationError) -> Mid {
    guard let codec = source.codecs.first, codec.canonical != nil else {
      throw .refused("the track's codec is not supported")
    }
    return try offering.add(
      kind: source.kind, codecs: codec.offeredForms, cname: userID.sdpToken, stream: userID.sdpToken, track: trackID.sdpToken
    ).mid
  }

  /// Offers data channels; `AcceptedAnswer.data` tells whether the other end accepts them.
  /// - Throws: `tooManyMedia`.
  public mutating func addDataChannels() throws(NegotiationError) { try offering.addData() }

  /// Adds an inactive m-line for audio, which connects the transport before there is a track. The first audio track uses it.
  public mutating func addInactiveAudio() { offering.addInactive(kind: .audio, codecs: RTPCodec.opus.offeredForms) }

  /// Removes the track from its m-line; ignores an unknown mid.
  public mutating func remove(mid: Mid) { offering.remove(mid: mid) }

  /// Restarts ICE with the next offer (RFC 8839 §4.4.1.1.1), which replaces an offer in flight. The client may have applied that
  /// one: its m-lines stay.
  /// - Parameter credentials: those of this side from now on.
  public mutating func restart(_ credentials: ICECredentials) { offering.restart(credentials) }

  /// Returns the next offer, with all m-lines.
  public mutating func makeOffer() -> String { offering.makeOffer() }

  /// Processes the answer to the last offer. If it fails, the offer remains pending.
  public mutating func accept(answer: String) throws(NegotiationError) -> AcceptedAnswer { try offering.accept(answer) }
}
