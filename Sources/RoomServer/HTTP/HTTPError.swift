import RoomProtocol

/// What the HTTP side says where a request can't be understood. All bear 10001, which is signalling's number for the same.
enum HTTPError {
  static let noSuchPath = badRequest("there is nothing at this path; api/openapi.yaml lists what there is")
  static let noLength = badRequest("send the body with a Content-Length")
  static let notJSON = badRequest("send the body as Content-Type: application/json")
  static let notWebSocket = badRequest("this path speaks WebSocket, version 13; api/signalling.md tells how")

  static let tooManySockets = RoomError(.joinFailed, "this address has as many signalling sockets as it may")

  static func method(allowed: String) -> RoomError { badRequest("this path allows \(allowed)") }
  static func bodyTooLarge(limit: Int) -> RoomError { badRequest("a body is at most \(limit) bytes") }
  static func badRequest(_ sentence: String) -> RoomError { RoomError(.unknownMessage, sentence) }
  static func unauthorised(_ sentence: String) -> RoomError { RoomError(.tokenInvalid, sentence) }
}
