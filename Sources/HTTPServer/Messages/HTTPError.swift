import RoomProtocol

/// The HTTP errors for invalid requests. All have the code 10001, as in signalling.
package enum HTTPError {
  package static let noSuchPath = badRequest("this path does not exist; api/openapi.yaml lists all paths")
  package static let noLength = badRequest("send the body with a Content-Length")
  package static let stopping = badRequest("the server is stopping")
  package static let notJSON = badRequest("send the body as Content-Type: application/json")
  package static let notWebSocket = badRequest("this path requires WebSocket version 13; see api/signalling.md")

  package static let tooManySockets = RoomError(.joinFailed, "the limit of signalling sockets of this address is reached")

  package static func method(allowed: String) -> RoomError { badRequest("this path allows \(allowed)") }
  package static func bodyTooLarge(limit: Int64) -> RoomError { badRequest("a body is at most \(limit) bytes") }
  package static func badRequest(_ sentence: String) -> RoomError { RoomError(.unknownMessage, sentence) }
  package static func unauthorised(_ sentence: String) -> RoomError { RoomError(.tokenInvalid, sentence) }
}
