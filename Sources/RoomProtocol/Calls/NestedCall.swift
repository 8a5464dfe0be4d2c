/// A group of methods that is one case of `SignalCall`.
protocol NestedCall {
  /// Nil where the method is none of this group.
  init?(method: String, params: CallParams) throws
  var method: String { get }
  /// Nil where the method has none.
  var params: (any Encodable)? { get }
}

/// The `params` of a request that is being read.
enum CallParams {
  /// The member `params` of a request.
  case member(KeyedDecodingContainer<RequestKeys>)
  /// A document that is nothing else.
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
