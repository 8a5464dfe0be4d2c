import NIOCore

/// Where messages to a client go: its socket, or a test's record. Never waits.
protocol SignalOutlet: AnyObject, Sendable {
  /// Sends a whole message, after those sent before it.
  func send(_ message: ByteBuffer)
  /// Closes the socket once what was sent has gone out.
  func close(_ reason: CloseReason)
}
