/// The client's side of a subscribe transport: answers the successive offers of the server.
public struct SubscribeAnswer: Sendable {
  private var answering: AnsweringMedia

  /// Creates the answering side of one transport.
  /// - Parameters:
  ///   - local: the client's parameters; the role is `client` (`a=setup:active`).
  ///   - maximumMedia: the maximum number of m-lines in an offer, including closed ones.
  ///   - data: what this side says of data channels; nil to reject them.
  ///   - accepts: returns whether the client supports a codec. M-lines without a supported codec are rejected.
  public init(
    local: TransportParameters, maximumMedia: Int = SessionDescription.maximumMedia, data: DataParameters? = nil,
    accepts: @escaping @Sendable (RTPCodec) -> Bool
  ) {
    answering = AnsweringMedia(local: local, maximumMedia: maximumMedia, simulcast: false, data: data) { _, codecs in
      Array(codecs.lazy.filter(accepts).prefix(1))
    }
  }

  /// The client's parameters for the next answer.
  public var local: TransportParameters {
    get { answering.local }
    set { answering.local = newValue }
  }

  /// Answers an offer. `AnsweredOffer.media` contains what the server will send.
  public mutating func answer(_ offer: String) throws(NegotiationError) -> AnsweredOffer { try answering.answer(offer) }
}
