import RoomRTP

/// Packets in transit, returned in the order of arrival. Packets with the same arrival time are returned in the order in which
/// they were sent.
struct ArrivalQueue<Packet: Sendable>: Sendable {
  private struct Entry: Sendable {
    let arrival: Instant
    let order: UInt64
    let packet: Packet

    func isBefore(_ other: Entry) -> Bool { (arrival, order) < (other.arrival, other.order) }
  }

  /// A binary heap with the next packet to arrive at its root.
  private var heap: [Entry] = []
  private var sent: UInt64 = 0

  var count: Int { heap.count }
  var nextArrival: Instant? { heap.first?.arrival }

  mutating func insert(_ packet: Packet, arrival: Instant) {
    sent += 1
    heap.append(Entry(arrival: arrival, order: sent, packet: packet))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the next packet that has arrived by `now`.
  mutating func removeArrived(by now: Instant) -> Packet? {
    guard let first = heap.first, first.arrival <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      if least == parent { break }
      heap.swapAt(parent, least)
      parent = least
    }
    return first.packet
  }
}
