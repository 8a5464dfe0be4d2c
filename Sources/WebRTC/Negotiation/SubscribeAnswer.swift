/// The client's side of a subscribe transport: answers the server's offers, one after another.
public struct SubscribeAnswer: Sendable {
  private var answering: AnsweringMedia

  /// - Parameters:
  ///   - local: the client's side; its role is `client` (`a=setup:active`).
  ///   - maximumMedia: m-lines of an offer, gone ones too.
  ///   - accepts: whether the client can handle a codec. M-lines without any such codec are refused.
  public init(
    local: TransportParameters, maximumMedia: Int = SessionDescription.maximumMedia,
    accepts: @escaping @Sendable (RTPCodec) -> Bool
  ) {
    answering = AnsweringMedia(local: local, maximumMedia: maximumMedia, simulcast: false) { _, codecs in
      Array(codecs.lazy.filter(accepts).prefix(1))
    }
  }

  /// The client's side, as the next answer gives it.
  public var local: TransportParameters {
    get { answering.local }
    set { answering.local = newValue }
  }

  /// Answers an offer. `AnsweredOffer.media` holds what the server will send.
  public mutating func answer(_ offer: String) throws(NegotiationError) -> AnsweredOffer { try answering.answer(offer) }
}
