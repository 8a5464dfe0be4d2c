import NIOCore
import RoomEngine

/// The outgoing messages of a socket, in order, and how many of them may be sent now.
///
/// An answer that confirms a change is held back until the change is stored. All later messages wait behind it, so the order is
/// kept.
package struct SignalQueue: Sendable {
  package enum Item: Sendable, Hashable {
    case message(ByteBuffer)
    case close(CloseReason)
  }

  private enum Entry {
    case item(Item)
    case hold(SendBarrier)
  }

  /// The number of messages that an event loop often gathers for a crowd, so that one allocation is enough.
  private static let usualCount = 8

  /// Messages that may be sent now.
  private var ready: [Item] = []
  /// Messages that are held back. Begins with a hold that is not released.
  private var held: [Entry] = []
  /// The holds that are not released yet.
  private var holds: Set<SendBarrier> = []
  private var last = SendBarrier()
  private var isTaking = false

  package init() {}

  /// Whether no message is queued or being taken.
  package var isEmpty: Bool { ready.isEmpty && held.isEmpty && !isTaking }

  package mutating func add(_ item: Item) {
    guard held.isEmpty else { return held.append(.item(item)) }
    if ready.isEmpty { ready.reserveCapacity(Self.usualCount) }
    ready.append(item)
  }

  /// Holds back all messages that are added from now on.
  package mutating func hold() -> SendBarrier {
    last.number &+= 1
    holds.insert(last)
    held.append(.hold(last))
    return last
  }

  package mutating func release(_ hold: SendBarrier) {
    holds.remove(hold)
    var count = 0
    scan: for entry in held {
      switch entry {
      case .item(let item): ready.append(item)
      case .hold(let hold): if holds.contains(hold) { break scan }
      }
      count += 1
    }
    held.removeFirst(count)
  }

  /// Takes the messages that may be sent now. A caller that gets messages sends them and calls again with `isNext` until none
  /// are left. Other callers get nothing meanwhile, so that only one sends.
  package mutating func take(isNext: Bool = false) -> [Item] {
    guard isNext || !isTaking else { return [] }
    defer { ready = [] }
    isTaking = !ready.isEmpty
    return ready
  }
}
