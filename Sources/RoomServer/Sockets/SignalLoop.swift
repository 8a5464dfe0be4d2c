import NIOCore
import Synchronization

/// The sockets of an event loop that have something to send.
///
/// A message to a whole room is added to the queue of each socket, and the loop is woken once. It writes each queue as a whole,
/// so that messages that arrive together share a system call.
///
/// After a write to many sockets the loop pauses for the time that ``SignalPause`` gives, and gathers further messages. A
/// single message leaves at once; many messages to a crowd cost one write for each receiver and pause. Urgent messages do not
/// wait, and are sent together with the messages that wait on their sockets.
final class SignalLoop: Sendable {
  /// The kinds of messages that a socket has to send.
  struct List: OptionSet, Sendable {
    let rawValue: UInt8

    /// Answers, and messages to one client.
    static let urgent = List(rawValue: 1)
    /// Messages to many, after the short pause.
    static let short = List(rawValue: 2)
    /// Messages to many, after the long pause.
    static let long = List(rawValue: 4)
  }

  /// The pauses between two writes to many sockets. They grow with the number of sockets in the last write.
  struct Pauses {
    var short = SignalPause.short
    /// The pause before messages that may wait longer.
    var long = SignalPause.long
  }

  private let eventLoop: any EventLoop
  private let pauses: Pauses
  private let counters: ServerCounters
  private let state = Mutex(State())

  private struct State {
    var urgent: [SignalSocket] = []
    var short: [SignalSocket] = []
    var long: [SignalSocket] = []
    /// The time of the last write to many sockets, and their number.
    var last = NIODeadline.uptimeNanoseconds(0)
    var written = 0

    /// Adds a socket to a list. Returns whether the list was empty.
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

    /// Returns the time of a list's next write.
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

  /// Schedules the write of a socket's messages: at once, or after the pause.
  func add(_ socket: SignalSocket, to list: List) {
    if state.withLock({ $0.add(socket, to: list) }) { eventLoop.execute { self.writeWhenDue(list) } }
  }

  private func writeWhenDue(_ list: List) {
    let next = state.withLock { $0.next(list, pauses) }
    guard next > eventLoop.now else { return write(list) }
    eventLoop.scheduleTask(deadline: next) { self.write(list) }
  }

  private func write(_ list: List) {
    let begin = eventLoop.now
    var (sockets, messages) = (0, 0)
    var batch = SignalBatch()
    for socket in state.withLock({ $0.take(list) }) {
      let written = socket.writeQueue(from: list, &batch)
      if written > 0 { sockets += 1 }
      messages += written
    }
    guard messages > 0 else { return }
    counters.count { $0.messagesSent += messages }
    if list != .urgent { state.withLock { ($0.last, $0.written) = (begin, sockets) } }
  }
}
