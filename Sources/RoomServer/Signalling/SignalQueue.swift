import NIOCore

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

  private var entries: [Entry] = []
  /// Not released yet.
  private var holds: Set<SignalHold> = []
  private var last = SignalHold()
  private var isTaking = false

  /// Nothing waits: an item may be sent without the queue.
  var isEmpty: Bool { entries.isEmpty && !isTaking }

  mutating func add(_ item: Item) { entries.append(.item(item)) }

  /// Keeps back everything that is added from now on.
  mutating func hold() -> SignalHold {
    last.number &+= 1
    holds.insert(last)
    entries.append(.hold(last))
    return last
  }

  mutating func release(_ hold: SignalHold) { holds.remove(hold) }

  /// Takes what may be sent now. Whoever gets something sends it and calls again with `isNext`, until there is nothing more; others
  /// get nothing meanwhile, so that only one sends.
  mutating func take(isNext: Bool = false) -> [Item] {
    guard isNext || !isTaking else { return [] }
    var ready: [Item] = []
    var count = 0
    scan: for entry in entries {
      switch entry {
      case .item(let item): ready.append(item)
      case .hold(let hold): if holds.contains(hold) { break scan }
      }
      count += 1
    }
    entries.removeFirst(count)
    isTaking = !ready.isEmpty
    return ready
  }
}
