/// The server's side of a publish transport: answers a client's offers, one after another (RFC 8829).
///
/// - Each m-line is narrowed to one codec, the first in the client's order that is routed, with its RTX; the codec stays while
///   the m-line sends.
/// - M-lines that send are answered `recvonly`, others `inactive`; those without a codec in common, and data channels, port 0.
/// - M-lines may be appended, may stop sending, may be closed (port 0) and then recycled under a new mid.
/// - A failed offer leaves everything as it was.
public struct PublishNegotiation: Sendable {
  private var answering: AnsweringMedia

  /// - Parameters:
  ///   - local: the server's side; its role is `server`, its candidates go into every answer.
  ///   - maximumMedia: m-lines of an offer, gone ones too.
  ///   - simulcast: take the layers of `a=simulcast`. Without it a client sends its first layer alone.
  public init(local: TransportParameters, maximumMedia: Int = 64, simulcast: Bool = false) {
    answering = AnsweringMedia(local: local, maximumMedia: maximumMedia, simulcast: simulcast) { kind, codecs in
      Array(codecs.lazy.filter { ($0.name == "opus") == (kind == .audio) && $0.canonical != nil }.prefix(1))
    }
  }

  /// The server's side, as the next answer gives it.
  public var local: TransportParameters {
    get { answering.local }
    set { answering.local = newValue }
  }

  /// Answers an offer. `AnsweredOffer.media` holds what the client will send, under the payload types, SSRCs and extension ids
  /// of its offer.
  public mutating func answer(_ offer: String) throws(NegotiationError) -> AnsweredOffer { try answering.answer(offer) }
}
