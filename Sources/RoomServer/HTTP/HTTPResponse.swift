import Foundation
import RoomProtocol

/// What goes back: a status, headers and a body, whole or as a stream.
struct HTTPResponse: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// Takes the place of `body`.
  var stream: (any HTTPBodyStream)?

  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    guard let data = try? JSON.encoder().encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: [UInt8](data))
  }

  static func text(_ text: String, type: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [("Content-Type", type)], body: [UInt8](text.utf8))
  }

  static func error(_ status: Int, _ error: RoomError, headers: [(name: String, value: String)] = []) -> HTTPResponse {
    var response = json(error, status: status)
    response.headers += headers
    return response
  }

  static let noContent = HTTPResponse(status: 204)
}

/// The JSON of this server: keys in a fixed order, slashes as they are.
enum JSON {
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
