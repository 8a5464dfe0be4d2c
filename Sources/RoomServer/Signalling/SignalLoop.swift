import NIOConcurrencyHelpers
import NIOCore

/// An event loop's sockets that have something to send.
///
/// A message to a whole room is added to the queue of each socket, and the loop is woken once. It writes each queue as a whole, so
/// that messages that came together share a system call.
///
/// A loop that wrote to many sockets then pauses, ``timePerSocket`` for each and ``longestPause`` at most, and gathers what comes
/// meanwhile. A single message leaves at once; many messages to a crowd cost a write for each receiver and pause, not one each.
final class SignalLoop: Sendable {
  static let timePerSocket = TimeAmount.microseconds(20)
  static let longestPause = TimeAmount.milliseconds(20)

  private let eventLoop: any EventLoop
  private let counters: ServerCounters
  private let state = NIOLockedValueBox(State())

  private struct State {
    var waiting: [SignalSocket] = []
    /// The loop writes soon.
    var isAwake = false
    /// The end of the pause.
    var next = NIODeadline.uptimeNanoseconds(0)
  }

  init(_ eventLoop: any EventLoop, counters: ServerCounters) {
    self.eventLoop = eventLoop
    self.counters = counters
  }

  /// Writes what the socket may send, after the pause. The socket must not be added again before it is written.
  func add(_ socket: SignalSocket) {
    let isFirst = state.withLockedValue { state in
      state.waiting.append(socket)
      defer { state.isAwake = true }
      return !state.isAwake
    }
    if isFirst { eventLoop.execute { self.writeWhenDue() } }
  }

  /// Writes what the socket may send, without a pause.
  func write(_ socket: SignalSocket) {
    eventLoop.execute { self.count(socket.writeQueue(isListed: false)) }
  }

  private func writeWhenDue() {
    let next = state.withLockedValue { $0.next }
    guard next > eventLoop.now else { return write() }
    eventLoop.scheduleTask(deadline: next) { self.write() }
  }

  private func write() {
    let now = eventLoop.now
    let sockets = state.withLockedValue { state in
      let pause = min(Self.timePerSocket * state.waiting.count, Self.longestPause)
      defer { state = State(next: now + pause) }
      return state.waiting
    }
    var messages = 0
    for socket in sockets { messages += socket.writeQueue(isListed: true) }
    count(messages)
  }

  private func count(_ messages: Int) {
    if messages > 0 { counters.count { $0.messagesSent += messages } }
  }
}
