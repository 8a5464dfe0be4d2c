import RoomProtocol

/// Why a token was refused, or can't be made.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An API secret of fewer than 32 bytes: HS256 asks for as many as its hash has (RFC 7518 §3.2).
  case secretTooShort(key: String, bytes: Int)
  /// No JWT, or one without a claim it needs.
  case malformed(String)
  case unknownKey(String)
  /// Signed by another algorithm than HS256.
  case wrongAlgorithm(String)
  case wrongSignature
  case expired
  case notYetValid
  case wrongRoom(token: RoomName, asked: RoomName)
  /// A room token where an API token is needed, or the other way round.
  case wrongPurpose

  public var description: String {
    switch self {
    case .secretTooShort(let key, let bytes):
      "the secret of API key \"\(key)\" has \(bytes) bytes, and at least \(TokenKeys.minimumSecretBytes) are needed"
    case .malformed(let what): "the token is malformed: \(what)"
    case .unknownKey(let key): "the token's kid \"\(key)\" is no API key of this server"
    case .wrongAlgorithm(let name): "the token is signed with \(name), and only HS256 is taken"
    case .wrongSignature: "the token's signature does not match its API key's secret"
    case .expired: "the token has expired"
    case .notYetValid: "the token is not valid yet (nbf)"
    case .wrongRoom(let token, let asked): "the token is for room \"\(token)\", not for \"\(asked)\""
    case .wrongPurpose: "the token is not made for this: a room token joins a room, an API token uses REST"
    }
  }

  /// The error as it goes over the wire: 10002.
  public var roomError: RoomError { RoomError(.tokenInvalid, description) }
}
