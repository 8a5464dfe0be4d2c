/// The reason why a listener refuses a connection, as a code of SRT.
public struct SRTRejection: Error, Sendable, Hashable, CustomStringConvertible {
  /// Below 1000 a code of the library, from 1000 on one of SRT Access Control, from 2000 on one of the server.
  public var code: Int

  public init(code: Int) { self.code = code }

  public static let badRequest = Self(code: 1400)
  public static let unauthorized = Self(code: 1401)
  public static let overload = Self(code: 1402)
  public static let forbidden = Self(code: 1403)
  public static let notFound = Self(code: 1404)
  public static let badMode = Self(code: 1405)
  public static let unacceptable = Self(code: 1406)
  public static let conflict = Self(code: 1409)
  public static let unavailable = Self(code: 1503)
  /// The token or the signed URL has expired. SRT has no code for it.
  public static let expired = Self(code: 2401)
  static let badSecret = Self(code: 10)
  static let unsecure = Self(code: 11)

  /// Whether the caller lacks permission.
  public var isForbidden: Bool { [Self.unauthorized, .forbidden, .badSecret, .unsecure].contains(self) }

  /// The meaning of the code; empty for an unknown one.
  public var reason: String {
    switch self {
    case .badRequest: "the stream id is invalid"
    case .unauthorized: "the stream id has no valid token"
    case .overload: "the server is full"
    case .forbidden: "access denied"
    case .notFound: "no such stream or room"
    case .badMode: "the mode is not supported"
    case .unacceptable: "the stream cannot be accepted"
    case .conflict: "the stream is already published"
    case .unavailable: "the server is stopping"
    case .expired: "the token has expired"
    case .badSecret: "wrong passphrase"
    case .unsecure: "a passphrase is required, or not expected"
    default: ""
    }
  }

  public var description: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }
}

/// Why an SRT connection could not be opened, or ended.
public enum SRTFailure: Error, Sendable, Hashable {
  /// The host has no address.
  case nameNotFound(String)
  /// An option, an address or a port cannot be used. The text is the library's reason.
  case unusable(String)
  /// No answer arrived in time.
  case timedOut
  case rejected(SRTRejection)
  /// The connection was lost.
  case lost(String)
  /// The receiver accepted no data for too long.
  case stalled
}
