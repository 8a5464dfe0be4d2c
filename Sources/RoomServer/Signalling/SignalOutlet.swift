import Foundation
import NIOCore
import RoomProtocol

/// Where messages to a client go: its socket, or a test's record. Never waits.
protocol SignalOutlet: AnyObject, Sendable {
  /// Sends a whole message, after those sent before it.
  func send(_ message: ByteBuffer)
  /// Closes the socket once what was sent has gone out.
  func close(_ reason: CloseReason)
}

/// Why the server closes a socket: the code of the WebSocket's close frame (RFC 6455 §7.4) and a word.
enum CloseReason: Sendable, Hashable {
  /// The session is over, and the client was told.
  case sessionEnded
  /// Another socket carries the session on.
  case replaced
  /// No `join`, or one that was refused.
  case notJoined
  case messageTooLarge
  case notText
  case protocolError
  case slowClient
  case serverStopping

  var code: UInt16 {
    switch self {
    case .sessionEnded, .replaced: 1000
    case .serverStopping: 1001
    case .protocolError: 1002
    case .notText: 1003
    case .notJoined, .slowClient: 1008
    case .messageTooLarge: 1009
    }
  }

  var word: String {
    switch self {
    case .sessionEnded: "session ended"
    case .replaced: "replaced by another socket"
    case .notJoined: "not joined"
    case .messageTooLarge: "message too large"
    case .notText: "text messages only"
    case .protocolError: "protocol error"
    case .slowClient: "too slow"
    case .serverStopping: "server stopping"
    }
  }
}

/// The messages of the protocol as bytes.
enum SignalWriter {
  static func event(_ event: SignalEvent) -> ByteBuffer { encode(event) }
  static func result(_ result: some Codable & Sendable, id: Int) -> ByteBuffer { encode(SignalAnswer.result(id: id, result)) }
  static func error(_ error: RoomError, id: Int?) -> ByteBuffer { encode(SignalAnswer<Empty>.error(id: id, error)) }

  private static func encode(_ value: some Encodable) -> ByteBuffer {
    // These types hold nothing that JSON can't say.
    guard let data = try? JSON.encoder().encode(value) else { return ByteBuffer() }
    return ByteBuffer(bytes: data)
  }
}
