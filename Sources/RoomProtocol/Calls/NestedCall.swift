/// A group of methods that forms one case of `SignalCall`.
protocol NestedCall {
  /// Decodes the call; returns nil if the method is not in this group.
  init?(method: String, params: CallParams) throws
  var method: String { get }
  /// The parameters to encode; nil if the method has none.
  var params: (any Encodable)? { get }
}

/// The `params` of a request that is being decoded.
enum CallParams {
  /// The member `params` of a request.
  case member(KeyedDecodingContainer<RequestKeys>)
  /// A document that contains only the parameters.
  case whole(any Decoder)

  func read<Params: Decodable>() throws -> Params {
    switch self {
    case .member(let request): try request.decode(Params.self, forKey: .params)
    case .whole(let decoder): try Params(from: decoder)
    }
  }

  func readIfPresent<Params: Decodable>() throws -> Params? {
    switch self {
    case .member(let request): try request.decodeIfPresent(Params.self, forKey: .params)
    case .whole(let decoder): try Params(from: decoder)
    }
  }
}
