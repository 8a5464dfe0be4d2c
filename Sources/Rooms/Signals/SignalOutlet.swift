import NIOCore

/// The destination of messages to a client: its socket, or a test's record. Never waits.
package protocol SignalOutlet: AnyObject, Sendable {
  /// Sends a whole message, after those sent before it.
  func send(_ message: ByteBuffer)
  /// Sends a whole message that goes to many, after those sent before it. It may wait, to share a system call with others.
  func gather(_ message: ByteBuffer, _ patience: SignalPatience)
  /// Closes the socket once what was sent has gone out.
  func close(_ reason: CloseReason)
  /// Keeps back what is sent from now on until `release`.
  func hold() -> SignalHold
  /// Sends what was kept back, up to the next hold.
  func release(_ hold: SignalHold)
}

/// How long a message to many may wait for others, on an event loop that has just written to many.
package enum SignalPatience: Sendable {
  /// What people say and show.
  case short
  /// Who comes and goes.
  case long
}

/// A place in what an outlet sends from which on it keeps everything back.
package struct SignalHold: Hashable, Sendable {
  package var number = 0

  package init() {}
}

extension SignalOutlet {
  package func gather(_ message: ByteBuffer, _ patience: SignalPatience) { send(message) }
  // Whoever has no disk to wait for keeps nothing back.
  package func hold() -> SignalHold { SignalHold() }
  package func release(_ hold: SignalHold) {}
}
