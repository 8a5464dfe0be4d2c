/// A slot in one of a transport's linked lists.
protocol TransportListed {
  /// The next slot of the same transport; −1 ends the list.
  var nextInTransport: Int32 { get }
}

extension TrackSlot: TransportListed {}
extension SubscriptionSlot: TransportListed {}

/// The indices of a transport's tracks or subscriptions. The one that is visited may be removed meanwhile.
struct TransportList<Slot: TransportListed>: Sequence, IteratorProtocol {
  private var index: Int32
  private let slots: UnsafeMutablePointer<Slot>

  /// - Parameters:
  ///   - first: the head of the list.
  ///   - slots: the first slot of the table.
  init(first: Int32, in slots: UnsafeMutablePointer<Slot>) {
    index = first
    self.slots = slots
  }

  mutating func next() -> Int? {
    guard index >= 0 else { return nil }
    defer { index = slots[Int(index)].nextInTransport }
    return Int(index)
  }
}
