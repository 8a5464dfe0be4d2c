import NIOCore

/// The destination of messages to a client: its socket, or a recorder in tests. The destination's methods never block.
package protocol SignalOutlet: AnyObject, Sendable {
  /// Sends a complete message, after those sent before it.
  func send(_ message: ByteBuffer)
  /// Sends a complete message to one of many recipients, after those sent before it. The message may be delayed, to share a
  /// system call with others.
  func gather(_ message: ByteBuffer, _ delay: BatchDelay)
  /// Closes the socket after all pending messages have been sent.
  func close(_ reason: CloseReason)
  /// Holds back all messages sent from now on, until `release`.
  func hold() -> SendBarrier
  /// Sends the messages that were held back, up to the next hold.
  func release(_ hold: SendBarrier)
}

/// How long a message to many recipients may be delayed on an event loop that has just written to many sockets.
package enum BatchDelay: Sendable {
  /// For all other events.
  case short
  /// For events about participants that join, leave, or lose or restore their connection.
  case long
}

/// A position in an outlet's messages from which on they are held back.
package struct SendBarrier: Hashable, Sendable {
  package var number = 0

  package init() {}
}

extension SignalOutlet {
  package func gather(_ message: ByteBuffer, _ delay: BatchDelay) { send(message) }
  // An outlet that need not wait for a disk holds nothing back.
  package func hold() -> SendBarrier { SendBarrier() }
  package func release(_ hold: SendBarrier) {}
}
