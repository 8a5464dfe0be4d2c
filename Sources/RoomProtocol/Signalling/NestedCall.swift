/// A group of methods that is one case of `SignalCall`.
protocol NestedCall {
  /// Nil where the method is none of this group.
  init?(method: String, params: CallParams) throws
  var method: String { get }
  /// Nil where the method has none.
  var params: (any Encodable)? { get }
}

/// The `params` of a request that is being read.
struct CallParams {
  let container: KeyedDecodingContainer<SignalRequest.Keys>

  func read<Params: Decodable>() throws -> Params { try container.decode(Params.self, forKey: .params) }
  func readIfPresent<Params: Decodable>() throws -> Params? { try container.decodeIfPresent(Params.self, forKey: .params) }
}
