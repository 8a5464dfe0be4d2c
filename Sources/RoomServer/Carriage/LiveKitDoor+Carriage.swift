import RoomHTTPServer
import RoomProtocol

extension LiveKitDoor {
  /// Returns the room of a request's token; nil if that is not valid.
  func room(of request: HTTPRequest) -> RoomName? {
    guard case .success(let token) = authorised(request) else { return nil }
    return token.grants.room?.room
  }

  /// Returns the endpoints with those of this door the same at each node.
  func routed(_ endpoints: [Endpoint], by carriage: Carriage) -> [Endpoint] {
    // Clients look for this sentence.
    let missing = HTTPResponse(
      status: 404, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array("requested room does not exist".utf8))
    return carriage.routed(endpoints, below: "rtc", room: { room(of: $0) }, missing: missing)
  }
}
