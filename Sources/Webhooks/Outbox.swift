import RoomProtocol
import NIOCore

/// Which event goes to one webhook next: order, retries and ages, as a value that is fed time and results.
///
/// Each room is a line of its own: one delivery of it is in flight, the next begins when that has succeeded, and after a failure the
/// line waits longer each time, up to a bound. So a room whose events are refused holds up no other, and over all rooms a bounded
/// number is in flight. Times are milliseconds of a clock that never goes back.
struct Outbox: Sendable {
  struct Policy: Sendable, Hashable {
    /// After the first failure; each further one doubles it.
    var firstWait: Int64 = 500
    /// No wait is longer.
    var longestWait: Int64 = 30_000
    /// Deliveries in flight at once, over all rooms; at least 1.
    var concurrent = 16
    /// An event older than that is given up.
    var longestAge: Int64 = 86_400_000

    /// Between half and all of the wait, by `random`, 0 to 1: rooms that failed together come back one after the other.
    func wait(after failures: Int, random: Double) -> Int64 {
      let doubled = failures > 30 ? longestWait : min(longestWait, max(1, firstWait) << Int64(max(0, failures - 1)))
      return doubled / 2 + Int64(Double(doubled - doubled / 2) * min(1, max(0, random)))
    }
  }

  /// One try of one event.
  struct Delivery: Sendable, Hashable {
    var room: RoomName
    var id: Int64
  }

  private struct Entry {
    var id: Int64
    /// When it is given up.
    var end: Int64
  }

  /// Of a room. It stands in one place: in `ready`, in `waiting`, or in flight.
  private struct Line {
    var entries = CircularBuffer<Entry>(initialCapacity: 1)
    var inFlight: Int64?
    /// In a row.
    var failures = 0
  }

  private let policy: Policy
  private var lines: [RoomName: Line] = [:]
  private var ready = CircularBuffer<RoomName>()
  private var waiting = WaitingRooms()
  /// Deliveries in flight.
  private(set) var inFlight = 0
  /// Events that are not delivered yet, those in flight too.
  private(set) var queued = 0
  /// Events that were given up.
  private(set) var dropped = 0

  init(_ policy: Policy) { self.policy = policy }

  /// One event more, the newest of its room.
  /// - Parameter age: how old it is already.
  mutating func add(_ id: Int64, of room: RoomName, age: Int64 = 0, at now: Int64) {
    if lines[room] == nil { ready.append(room) }
    lines[room, default: Line()].entries.append(Entry(id: id, end: now &+ policy.longestAge &- age))
    queued += 1
  }

  /// What to deliver now; nil where nothing is due, or enough is in flight.
  mutating func next(at now: Int64) -> Delivery? {
    while let room = waiting.takeDue(at: now) { ready.append(room) }
    guard inFlight < max(1, policy.concurrent) else { return nil }
    while let room = ready.popFirst() {
      guard var line = lines.removeValue(forKey: room) else { continue }
      drop(from: &line) { $0.end <= now }
      guard let first = line.entries.first else { continue }
      line.inFlight = first.id
      inFlight += 1
      lines[room] = line
      return Delivery(room: room, id: first.id)
    }
    return nil
  }

  /// What came of a delivery. True where its room has got this far; a replay may have begun the room again meanwhile.
  /// - Parameter random: 0 to 1.
  @discardableResult
  mutating func finished(_ delivery: Delivery, succeeded: Bool, at now: Int64, random: Double) -> Bool {
    guard var line = lines.removeValue(forKey: delivery.room) else { return false }
    guard line.inFlight == delivery.id else {
      lines[delivery.room] = line
      return false
    }
    line.inFlight = nil
    inFlight -= 1
    let goesOn = succeeded && line.entries.first?.id == delivery.id
    if goesOn {
      line.entries.removeFirst()
      queued -= 1
    }
    line.failures = succeeded ? 0 : line.failures + 1
    guard !line.entries.isEmpty else { return goesOn }
    lines[delivery.room] = line
    if succeeded {
      ready.append(delivery.room)
    } else {
      waiting.insert(delivery.room, until: now &+ policy.wait(after: line.failures, random: random))
    }
    return goesOn
  }

  /// When `next` may have something that it has not now; nil where only an event or a result can bring it.
  var nextDeadline: Int64? { inFlight < max(1, policy.concurrent) ? waiting.first : nil }

  /// Nothing is in flight and nothing could be now: what is queued waits for its next try.
  var isResting: Bool { inFlight == 0 && ready.isEmpty }

  /// Begins a room again with these events, by their ids and ages, oldest first.
  mutating func replay(_ events: [(id: Int64, age: Int64)], of room: RoomName, at now: Int64) {
    if lines[room] == nil {
      guard !events.isEmpty else { return }
      ready.append(room)
    }
    var line = lines.removeValue(forKey: room) ?? Line()
    queued += events.count - line.entries.count
    line.entries = CircularBuffer(events.map { Entry(id: $0.id, end: now &+ policy.longestAge &- $0.age) })
    lines[room] = line
  }

  /// Gives up all events before this one: they are kept no more.
  mutating func forget(before id: Int64) {
    for room in Array(lines.keys) {
      guard var line = lines.removeValue(forKey: room) else { continue }
      drop(from: &line) { $0.id < id }
      // Its place finds it, or finds it empty.
      lines[room] = line
    }
  }

  private mutating func drop(from line: inout Line, where old: (Entry) -> Bool) {
    while let first = line.entries.first, old(first) {
      line.entries.removeFirst()
      queued -= 1
      dropped += 1
    }
  }

  /// How long the oldest event waits; nil where none does.
  func oldestAge(at now: Int64) -> Int64? {
    lines.values.lazy.compactMap { $0.entries.first?.end }.min().map { policy.longestAge &- ($0 &- now) }
  }
}

/// Rooms by the time until which they wait, in a binary heap.
private struct WaitingRooms: Sendable {
  private var heap: [(due: Int64, order: UInt64, room: RoomName)] = []
  private var inserted: UInt64 = 0

  /// The soonest time.
  var first: Int64? { heap.first?.due }

  mutating func insert(_ room: RoomName, until due: Int64) {
    inserted &+= 1
    heap.append((due, inserted, room))
    var index = heap.count - 1
    while index > 0, isBefore(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func takeDue(at now: Int64) -> RoomName? {
    guard let first = heap.first, first.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && isBefore(child, least) { least = child }
      guard least != index else { return first.room }
      heap.swapAt(index, least)
      index = least
    }
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (heap[one].due, heap[one].order) < (heap[other].due, heap[other].order)
  }
}
