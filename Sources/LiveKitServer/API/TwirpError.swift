import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// An error of a Twirp call: a code, with its HTTP status, and a sentence.
struct TwirpError: Error, Hashable, Sendable {
  enum Code: String, Hashable, Sendable, Encodable {
    case badRoute = "bad_route"
    case malformed
    case invalidArgument = "invalid_argument"
    case unauthenticated
    case permissionDenied = "permission_denied"
    case notFound = "not_found"
    case failedPrecondition = "failed_precondition"
    case deadlineExceeded = "deadline_exceeded"
    case resourceExhausted = "resource_exhausted"
    case unimplemented
    case unavailable
    case `internal`

    var status: Int {
      switch self {
      case .malformed, .invalidArgument: 400
      case .unauthenticated: 401
      case .permissionDenied: 403
      case .badRoute, .notFound: 404
      case .deadlineExceeded: 408
      case .failedPrecondition: 412
      case .resourceExhausted: 429
      case .internal: 500
      case .unimplemented: 501
      case .unavailable: 503
      }
    }
  }

  var code: Code
  var message: String
  var meta: [String: String] = [:]

  init(_ code: Code, _ message: String, meta: [String: String] = [:]) {
    self.code = code
    self.message = message
    self.meta = meta
  }

  /// The error of a call of a room.
  init(_ error: RoomError) {
    let code: Code =
      switch error.code {
      case .notInRoom, .noSuchRoom, .roomNotFound, .subscribeFailed: .notFound
      case .tokenInvalid: .unauthenticated
      case .noPermission: .permissionDenied
      case .wrongMicState, .publishFailed, .joinFailed: .failedPrecondition
      case .updateRoomFailed, .cdnParameters: .invalidArgument
      default: .internal
      }
    self.init(code, error.message)
  }

  /// The error of a change that could not be stored.
  init(_ error: DocumentError) { self.init(.unavailable, "\(error)") }

  private struct Body: Encodable {
    var code: Code
    var msg: String
    var meta: [String: String]?
  }

  /// The answer, in JSON whatever the form of the request is.
  var response: HTTPResponse {
    .json(Body(code: code, msg: message, meta: meta.isEmpty ? nil : meta), status: code.status)
  }
}
