import RoomProtocol

/// The reason why a token is rejected or can't be created.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An API secret shorter than 32 bytes: HS256 requires a key at least as long as its hash (RFC 7518 §3.2).
  case secretTooShort(key: String, bytes: Int)
  /// Not a JWT, or one that lacks a required claim.
  case malformed(String)
  case unknownKey(String)
  /// Signed with an algorithm other than HS256.
  case wrongAlgorithm(String)
  case wrongSignature
  case expired
  case notYetValid
  case wrongRoom(token: RoomName, asked: RoomName)
  /// A token of another kind: of a room, of the API, or of a recording.
  case wrongPurpose

  public var description: String {
    switch self {
    case .secretTooShort(let key, let bytes):
      "the secret of API key \"\(key)\" has \(bytes) bytes; the minimum is \(TokenKeys.minimumSecretBytes)"
    case .malformed(let what): "the token is malformed: \(what)"
    case .unknownKey(let key): "the token's kid \"\(key)\" is not an API key of this server"
    case .wrongAlgorithm(let name): "the token is signed with \(name), but only HS256 is supported"
    case .wrongSignature: "the token's signature does not match its API key's secret"
    case .expired: "the token has expired"
    case .notYetValid: "the token is not valid yet (nbf)"
    case .wrongRoom(let token, let asked): "the token is for room \"\(token)\", not for \"\(asked)\""
    case .wrongPurpose:
      "the token has the wrong type: a room token joins a room, an API token uses REST, a signed URL reads one file"
    }
  }

  /// The error as sent to clients: 10002.
  public var roomError: RoomError { RoomError(.tokenInvalid, description) }
}
