import Foundation
import RoomHTTPServer
import RoomLiveKitProtocol
import RoomServer

/// The form of a Twirp call's request and answer.
enum TwirpForm: Sendable {
  case protobuf, json

  /// Returns the form of a request; nil for a content type that Twirp does not have.
  init?(_ request: HTTPRequest) {
    switch request.contentType {
    case "application/protobuf": self = .protobuf
    case "application/json": self = .json
    default: return nil
    }
  }

  /// - Throws: `malformed`.
  func read<Request: Message>(
    _: Request.Type = Request.self, from body: [UInt8], limits: MessageLimits = MessageLimits()
  ) throws(TwirpError) -> Request {
    do throws(MessageError) {
      return switch self {
      case .protobuf: try Request(protobuf: body, limits: limits)
      case .json: try Request(json: Data(body), limits: limits)
      }
    } catch { throw TwirpError(.malformed, "the request can't be read: \(error)") }
  }

  func response(_ message: some Message) -> HTTPResponse {
    switch self {
    case .protobuf:
      HTTPResponse(status: 200, headers: [("Content-Type", "application/protobuf")], body: message.protobuf)
    case .json: HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: message.json(.twirp))
    }
  }
}
