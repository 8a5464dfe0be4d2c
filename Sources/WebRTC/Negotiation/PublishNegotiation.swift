import RoomRTP

/// The server's side of a publish transport: answers the successive offers of a client (RFC 8829).
///
/// - Each m-line is narrowed to one codec with its RTX and RED: the first routable one in the client's order. The codec stays while the
///   m-line sends.
/// - M-lines that send are answered `recvonly`, others `inactive`; those without a common codec get port 0,
///   as do data channels that this side does not accept.
/// - On a single connection (`sends`) the m-lines on which the client receives are answered `sendonly` while a track is sent on them.
/// - M-lines may be appended, may stop sending, may be closed (port 0) and then recycled under a new mid.
/// - A failed offer changes nothing.
public struct PublishNegotiation: Sendable {
  private var answering: AnsweringMedia

  /// Creates the negotiation of one transport.
  /// - Parameters:
  ///   - local: the server's parameters; the role is `server`, the candidates are part of every answer.
  ///   - maximumMedia: the maximum number of m-lines in an offer, including closed ones.
  ///   - simulcast: whether up to three layers are accepted, of `a=simulcast` or `a=ssrc-group:SIM`. Without it a client sends
  ///     only its first layer.
  ///   - data: what this side says of data channels; nil to reject them.
  ///   - sends: whether this side sends on the transport, too.
  ///   - randomSSRC: the generator of the SSRCs of what it sends.
  public init(
    local: TransportParameters, maximumMedia: Int = 64, simulcast: Bool = false, data: DataParameters? = nil,
    sends: Bool = false,
    randomSSRC: @escaping @Sendable () -> SSRC = { .random() }
  ) {
    let sending = sends ? SendingLines(randomSSRC: randomSSRC) : nil
    answering = AnsweringMedia(
      local: local, maximumMedia: maximumMedia, simulcast: simulcast, data: data, sending: sending
    ) { kind, codecs in
      Array(codecs.lazy.filter { ($0.name == "opus") == (kind == .audio) && $0.canonical != nil }.prefix(1))
    }
  }

  /// The server's parameters for the next answer.
  public var local: TransportParameters {
    get { answering.local }
    set { answering.local = newValue }
  }

  /// Whether an offer restarts ICE on this transport. The answer then needs new credentials, too (RFC 8839 §4.4.2.1): set `local`
  /// before it.
  public func restartsICE(_ offer: String) -> Bool { answering.restartsICE(offer) }

  /// Answers an offer. `AnsweredOffer.media` contains what the client will send, with the payload types, SSRCs and extension
  /// ids of its offer.
  /// - Parameter tracks: all tracks to send from now on, if this side sends. Each takes a free m-line, in this order.
  public mutating func answer(
    _ offer: String, sending tracks: [TrackToSend] = []
  ) throws(NegotiationError) -> AnsweredOffer { try answering.answer(offer, sending: tracks) }
}
