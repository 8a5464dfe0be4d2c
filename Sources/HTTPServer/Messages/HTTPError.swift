import RoomProtocol

/// The HTTP errors for invalid requests. All have the code 10001, as in signalling.
package enum HTTPError {
  package static let noSuchPath = badRequest("there is nothing at this path; api/openapi.yaml lists what there is")
  package static let noLength = badRequest("send the body with a Content-Length")
  package static let notJSON = badRequest("send the body as Content-Type: application/json")
  package static let notWebSocket = badRequest("this path speaks WebSocket, version 13; api/signalling.md tells how")

  package static let tooManySockets = RoomError(.joinFailed, "this address has as many signalling sockets as it may")

  package static func method(allowed: String) -> RoomError { badRequest("this path allows \(allowed)") }
  package static func bodyTooLarge(limit: Int) -> RoomError { badRequest("a body is at most \(limit) bytes") }
  package static func badRequest(_ sentence: String) -> RoomError { RoomError(.unknownMessage, sentence) }
  package static func unauthorised(_ sentence: String) -> RoomError { RoomError(.tokenInvalid, sentence) }
}
