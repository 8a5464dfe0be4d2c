/// The queue between the parts of a peer and its owner. The queue is bounded, so that an owner that does not drain it loses
/// datagrams, not memory.
struct Outbox {
  static let datagramLimit = 64

  private var queue: [PeerOutput] = []
  private var head = 0
  private var datagrams = 0
  /// The number of datagrams discarded because the limit was reached.
  private(set) var overflow = 0

  mutating func send(_ bytes: [UInt8], to address: TransportAddress) {
    guard datagrams < Self.datagramLimit else {
      overflow += 1
      return
    }
    datagrams += 1
    queue.append(.transmit(bytes, to: address))
  }

  mutating func report(_ event: PeerEvent) { queue.append(.event(event)) }

  mutating func next() -> PeerOutput? {
    guard head < queue.count else { return nil }
    let output = queue[head]
    head += 1
    if case .transmit = output { datagrams -= 1 }
    if head == queue.count {
      queue.removeAll()
      head = 0
    }
    return output
  }
}
