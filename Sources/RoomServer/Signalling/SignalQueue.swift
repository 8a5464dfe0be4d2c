import NIOCore
import Rooms

/// What a socket sends, in order, and how far it may be sent by now.
///
/// An answer that promises a change is kept back until the change is stored, and with it everything behind it: the order stays.
struct SignalQueue: Sendable {
  enum Item: Sendable, Hashable {
    case message(ByteBuffer)
    case close(CloseReason)
  }

  private enum Entry {
    case item(Item)
    case hold(SignalHold)
  }

  /// Messages that a crowd's event loop often gathers: one allocation takes them.
  private static let usualCount = 8

  /// May be sent now.
  private var ready: [Item] = []
  /// What is kept back: begins with a hold that is not released.
  private var held: [Entry] = []
  /// Not released yet.
  private var holds: Set<SignalHold> = []
  private var last = SignalHold()
  private var isTaking = false

  /// Nothing waits.
  var isEmpty: Bool { ready.isEmpty && held.isEmpty && !isTaking }

  mutating func add(_ item: Item) {
    guard held.isEmpty else { return held.append(.item(item)) }
    if ready.isEmpty { ready.reserveCapacity(Self.usualCount) }
    ready.append(item)
  }

  /// Keeps back everything that is added from now on.
  mutating func hold() -> SignalHold {
    last.number &+= 1
    holds.insert(last)
    held.append(.hold(last))
    return last
  }

  mutating func release(_ hold: SignalHold) {
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

  /// Takes what may be sent now. Whoever gets something sends it and calls again with `isNext`, until there is nothing more; others
  /// get nothing meanwhile, so that only one sends.
  mutating func take(isNext: Bool = false) -> [Item] {
    guard isNext || !isTaking else { return [] }
    defer { ready = [] }
    isTaking = !ready.isEmpty
    return ready
  }
}
