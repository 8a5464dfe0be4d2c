import NIOCore

/// The reason why the server closes a socket: the WebSocket close code (RFC 6455 §7.4) and a short text.
package enum CloseReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// The session ended, and the client was notified.
  case sessionEnded
  /// Another socket continues the session.
  case replaced
  /// The client did not send `join`, or it failed.
  case notJoined
  case messageTooLarge
  case notText
  case notBinary
  case protocolError
  case slowClient
  case serverStopping
  /// Another attempt may succeed, here or at another node.
  case unavailable

  package var code: UInt16 {
    switch self {
    case .sessionEnded, .replaced: 1000
    case .serverStopping: 1001
    case .protocolError: 1002
    case .notText, .notBinary: 1003
    case .notJoined, .slowClient: 1008
    case .messageTooLarge: 1009
    case .unavailable: 1013
    }
  }

  /// The payload of a close frame (RFC 6455 §5.5.1).
  package var payload: ByteBuffer {
    var payload = ByteBuffer()
    payload.writeInteger(code)
    payload.writeString(text)
    return payload
  }

  package var text: String {
    switch self {
    case .sessionEnded: "session ended"
    case .replaced: "replaced by another socket"
    case .notJoined: "not joined"
    case .messageTooLarge: "message too large"
    case .notText: "text messages only"
    case .notBinary: "binary messages only"
    case .protocolError: "protocol error"
    case .slowClient: "too slow"
    case .serverStopping: "server stopping"
    case .unavailable: "try again later"
    }
  }

  /// Returns the reason with a code and a text, as another server sent them; by the code alone if the text is not known. Nil for a
  /// code that no reason has.
  package init?(code: UInt16, text: String) {
    let reasons = Self.allCases.filter { $0.code == code }
    guard let reason = reasons.first(where: { $0.text == text }) ?? reasons.first else { return nil }
    self = reason
  }
}
