import RoomProtocol
import RoomToken
import RoomWebRTC

/// The error of a WHIP or WHEP request: the status that the protocols require, and the error in the body.
package struct SessionRefusal: Error, Sendable {
  package var status: Int
  package var error: RoomError
  package var headers: [(name: String, value: String)] = []

  package static func badRequest(_ sentence: String) -> Self { Self(status: 400, error: RoomError(.unknownMessage, sentence)) }

  /// No token, or an invalid one (RFC 6750 §3.1).
  package static func unauthorised(_ error: RoomError, isMissing: Bool = false) -> Self {
    Self(
      status: 401, error: error,
      headers: [("WWW-Authenticate", isMissing ? "Bearer" : "Bearer error=\"invalid_token\"")])
  }

  /// A valid token that does not allow this.
  package static func forbidden(_ sentence: String) -> Self {
    Self(
      status: 403, error: RoomError(.noPermission, sentence),
      headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")])
  }

  package static func notFound(_ error: RoomError) -> Self { Self(status: 404, error: error) }

  package static let noSuchSession = notFound(RoomError(.notInRoom, "there is no such session; it has ended or never existed"))

  package static let notAName = notFound(RoomError(.notInRoom, "the names of rooms, users and sessions have \(NameRule.text)"))

  /// The offer has no media that both sides support, or only a part of it is supported: a session never starts with a part
  /// missing (RFC 9725 §4.4.3).
  static func notAcceptable(_ error: RoomError) -> Self { Self(status: 406, error: error) }

  /// The server is full, perhaps only temporarily; or another server is now responsible (RFC 9725 §4.6).
  /// - Parameter target: path and query of the request.
  package static func unavailable(_ error: RoomError, at target: String? = nil) -> Self {
    if let redirect = error.redirect, let target, let host = redirect.firstMatch(of: /^ws(s?):\/\/([^\/?#]+)/) {
      return Self(status: 307, error: error, headers: [("Location", "http\(host.1)://\(host.2)\(target)")])
    }
    return Self(status: 503, error: error, headers: [("Retry-After", "5")])
  }

  package static let tooManyJoins = Self(
    status: 429, error: RoomError(.joinFailed, "too many joins from this address; wait a second and try again"),
    headers: [("Retry-After", "1")])

  static func tooManySessions(_ sentence: String) -> Self {
    Self(status: 429, error: RoomError(.joinFailed, sentence), headers: [("Retry-After", "5")])
  }

  static let preconditionRequired = Self(
    status: 428, error: RoomError(.unknownMessage, "send If-Match with the session's ETag, or with * to restart ICE"))

  static let preconditionFailed = Self(
    status: 412, error: RoomError(.unknownMessage, "If-Match is not the session's ETag: ICE was restarted meanwhile"))

  static func tooManyRestarts(_ limit: Int) -> Self {
    Self(status: 429, error: RoomError(.unknownMessage, "a session restarts ICE at most \(limit) times; start a new one"))
  }

  package static func wrongType(_ wanted: String, header: String) -> Self {
    Self(
      status: 415, error: RoomError(.unknownMessage, "send the body as Content-Type: \(wanted)"), headers: [(header, wanted)])
  }

  /// A rejected offer: 400 if it is not a session description, 422 if it can't be answered.
  static func offer(_ failure: NegotiationError, _ code: ErrorCode) -> Self {
    let error = RoomError(code, "the offer was rejected: \(failure)")
    if case .unreadable = failure { return Self(status: 400, error: error) }
    return Self(status: 422, error: error)
  }
}

/// The answer to an offer over HTTP.
package struct SessionAnswer: Sendable {
  package var resource: SessionResource
  package var sdp: String
}

/// The result of an offer over HTTP.
package enum SessionOffer: Sendable {
  case answered(SessionAnswer)
  case refused(SessionRefusal)
  /// The room closed meanwhile; a new room may already use its name.
  case roomIsClosed
}
