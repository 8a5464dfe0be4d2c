import NIOCore

/// Where messages to a client go: its socket, or a test's record. Never waits.
protocol SignalOutlet: AnyObject, Sendable {
  /// Sends a whole message, after those sent before it.
  func send(_ message: ByteBuffer)
  /// Closes the socket once what was sent has gone out.
  func close(_ reason: CloseReason)
  /// Keeps back what is sent from now on until `release`.
  func hold() -> SignalHold
  /// Sends what was kept back, up to the next hold.
  func release(_ hold: SignalHold)
}

/// A place in what an outlet sends from which on it keeps everything back.
struct SignalHold: Hashable, Sendable {
  var number = 0
}

extension SignalOutlet {
  // Whoever has no disk to wait for keeps nothing back.
  func hold() -> SignalHold { SignalHold() }
  func release(_ hold: SignalHold) {}
}
