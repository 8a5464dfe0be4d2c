import Foundation
import RoomProtocol

/// A response: a status, headers and a body, complete or as a stream.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  /// Replaces `body`.
  package var stream: (any HTTPBodyStream)?
  /// The bytes of the stream; nil if they are unknown.
  package var streamLength: Int64?
  /// The same status, headers and body, made once for all requests that receive them.
  private(set) var common: CommonResponse?

  package init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], stream: (any HTTPBodyStream)? = nil,
    streamLength: Int64? = nil
  ) {
    self.streamLength = streamLength
    self.status = status
    self.headers = headers
    self.body = body
    self.stream = stream
  }

  package static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    guard let data = try? JSON.encoder().encode(value) else { return HTTPResponse(status: 500) }
    return HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: [UInt8](data))
  }

  package static func text(_ text: String, type: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [("Content-Type", type)], body: [UInt8](text.utf8))
  }

  package static func error(_ status: Int, _ error: RoomError, headers: [(name: String, value: String)] = []) -> HTTPResponse {
    var response = json(error, status: status)
    response.headers += headers
    return response
  }

  package static let noContent = HTTPResponse(status: 204)

  /// Returns the same response for many requests, none of which copies headers and body. The result must not be changed.
  package func shared() -> HTTPResponse {
    var response = self
    response.common = CommonResponse(self)
    return response
  }
}
