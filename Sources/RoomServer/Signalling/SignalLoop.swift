import NIOConcurrencyHelpers
import NIOCore

/// An event loop's sockets that have something to send.
///
/// A message to a whole room is added to the queue of each socket, and the loop is woken once. It writes each queue as a whole, so
/// that messages that came together share a system call.
///
/// A loop that wrote to many sockets then pauses, as long as ``SignalPause`` says, and gathers what comes meanwhile. A single message leaves
/// at once; many messages to a crowd cost a write for each receiver and pause, not one each. Urgent messages do not wait, and take
/// with them what waits on their sockets.
final class SignalLoop: Sendable {
  /// What a socket waits for.
  struct List: OptionSet, Sendable {
    let rawValue: UInt8

    /// Answers, and messages to one client.
    static let urgent = List(rawValue: 1)
    /// Messages to many, after the short pause.
    static let short = List(rawValue: 2)
    /// Messages to many, after the long pause.
    static let long = List(rawValue: 4)
  }

  /// The time between two writes to many: the larger the last one was, the longer.
  struct Pauses {
    var short = SignalPause.short
    /// Before messages that may wait for longer.
    var long = SignalPause.long
  }

  private let eventLoop: any EventLoop
  private let pauses: Pauses
  private let counters: ServerCounters
  private let state = NIOLockedValueBox(State())

  private struct State {
    var urgent: [SignalSocket] = []
    var short: [SignalSocket] = []
    var long: [SignalSocket] = []
    /// The last write to many, and to how many.
    var last = NIODeadline.uptimeNanoseconds(0)
    var written = 0

    /// Returns whether the list was empty.
    mutating func add(_ socket: SignalSocket, to list: List) -> Bool {
      change(list) { sockets in
        sockets.append(socket)
        return sockets.count == 1
      }
    }

    mutating func take(_ list: List) -> [SignalSocket] {
      change(list) { sockets in
        defer { sockets = [] }
        return sockets
      }
    }

    private mutating func change<Result>(_ list: List, _ change: (inout [SignalSocket]) -> Result) -> Result {
      switch list {
      case .urgent: change(&urgent)
      case .short: change(&short)
      default: change(&long)
      }
    }

    /// When a list is written next.
    func next(_ list: List, _ pauses: Pauses) -> NIODeadline {
      switch list {
      case .urgent: last
      case .short: last + TimeAmount(pauses.short.time(afterSockets: written))
      default: last + TimeAmount(pauses.long.time(afterSockets: written))
      }
    }
  }

  init(_ eventLoop: any EventLoop, pauses: Pauses, counters: ServerCounters) {
    self.eventLoop = eventLoop
    self.pauses = pauses
    self.counters = counters
  }

  /// Writes what the socket may send: at once, or after the pause.
  func add(_ socket: SignalSocket, to list: List) {
    if state.withLockedValue({ $0.add(socket, to: list) }) { eventLoop.execute { self.writeWhenDue(list) } }
  }

  private func writeWhenDue(_ list: List) {
    let next = state.withLockedValue { $0.next(list, pauses) }
    guard next > eventLoop.now else { return write(list) }
    eventLoop.scheduleTask(deadline: next) { self.write(list) }
  }

  private func write(_ list: List) {
    let begin = eventLoop.now
    var (sockets, messages) = (0, 0)
    var batch = SignalBatch()
    for socket in state.withLockedValue({ $0.take(list) }) {
      let written = socket.writeQueue(from: list, &batch)
      if written > 0 { sockets += 1 }
      messages += written
    }
    guard messages > 0 else { return }
    counters.count { $0.messagesSent += messages }
    if list != .urgent { state.withLockedValue { ($0.last, $0.written) = (begin, sockets) } }
  }
}
