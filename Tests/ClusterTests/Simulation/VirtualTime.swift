/// Events in virtual time, in order.
final class VirtualTime {
  private struct Event {
    var time: Int64
    var number: Int
    var body: () -> Void

    func isBefore(_ other: Event) -> Bool { (time, number) < (other.time, other.number) }
  }

  /// True time in µs, which no node knows.
  private(set) var now: Int64 = 0
  private var heap: [Event] = []
  private var number = 0
  /// Runs after each event.
  var afterEach: () -> Void = {}

  func at(_ time: Int64, _ body: @escaping () -> Void) {
    number += 1
    heap.append(Event(time: max(now, time), number: number, body: body))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  func after(_ delay: Int64, _ body: @escaping () -> Void) { at(now + delay, body) }

  func run(until end: Int64) {
    while let first = heap.first, first.time <= end {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      sink()
      now = first.time
      first.body()
      afterEach()
    }
    now = end
  }

  private func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
