import RoomDigests
import Foundation
import RoomProtocol

/// The server's half of the opening handshake (RFC 6455 §4.2), which libmicrohttpd does not implement.
enum WebSocketHandshake {
  enum Outcome: Sendable {
    /// The value of `Sec-WebSocket-Accept`.
    case accepted(String)
    case refused(HTTPResponse)
  }

  static func check(_ request: HTTPRequest) -> Outcome {
    guard request.header("upgrade", lists: "websocket"), request.header("connection", lists: "upgrade"),
      request.header("sec-websocket-version") == "13"
    else {
      return .refused(
        .error(
          426, HTTPError.notWebSocket,
          headers: [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")]))
    }
    guard let key = request.header("sec-websocket-key"), Data(base64Encoded: key)?.count == 16 else {
      return .refused(.error(400, HTTPError.badRequest("Sec-WebSocket-Key must be 16 bytes in Base64")))
    }
    guard let accept = accept(for: key) else { return .refused(HTTPResponse(status: 500)) }
    return .accepted(accept)
  }

  /// Returns the value of `Sec-WebSocket-Accept` (RFC 6455 §1.3).
  static func accept(for key: String) -> String? {
    let digest = Digest.sha1.digest(of: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return digest.isEmpty ? nil : Data(digest).base64EncodedString()
  }
}
