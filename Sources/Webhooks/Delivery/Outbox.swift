import RoomProtocol
import NIOCore

/// Schedules the deliveries to one webhook: order, retries and ages, as a value whose inputs are times and results.
///
/// Each room is a separate line with one delivery in flight. The next one starts when that has succeeded. After each failure
/// the line waits longer, up to a maximum. So a room whose events are rejected delays no other room, and the total number in
/// flight is bounded. Times are milliseconds of a monotonic clock.
struct Outbox: Sendable {
  struct Policy: Sendable, Hashable {
    /// The wait after the first failure; each further failure doubles it.
    var firstWait: Int64 = 500
    /// The maximum wait.
    var longestWait: Int64 = 30_000
    /// Deliveries in flight at once, over all rooms; at least 1.
    var concurrent = 16
    /// The age at which an event is dropped.
    var longestAge: Int64 = 86_400_000

    /// Returns half to all of the wait, by `random`, 0 to 1, so that rooms that failed together retry at different times.
    func wait(after failures: Int, random: Double) -> Int64 {
      let doubled = failures > 30 ? longestWait : min(longestWait, max(1, firstWait) << Int64(max(0, failures - 1)))
      return doubled / 2 + Int64(Double(doubled - doubled / 2) * min(1, max(0, random)))
    }
  }

  /// One attempt to deliver one event.
  struct Delivery: Sendable, Hashable {
    var room: RoomName
    var id: Int64
    /// How often the room was reset before.
    var resets = 0
  }

  private struct Entry {
    var id: Int64
    /// The time at which it is dropped.
    var end: Int64
  }

  /// The queue of a room. The queue is in exactly one state: in `ready`, in `waiting`, or in flight.
  private struct Line {
    var entries = CircularBuffer<Entry>(initialCapacity: 1)
    var inFlight: Int64?
    /// Consecutive failures.
    var failures = 0
    var resets = 0
  }

  private let policy: Policy
  private var lines: [RoomName: Line] = [:]
  private var ready = CircularBuffer<RoomName>()
  private var waiting = WaitingRooms()
  /// Deliveries in flight.
  private(set) var inFlight = 0
  /// Events that are not delivered yet, including those in flight.
  private(set) var queued = 0
  /// Events that were dropped.
  private(set) var dropped = 0

  init(_ policy: Policy) { self.policy = policy }

  /// Adds an event, the newest of its room.
  /// - Parameter age: its present age.
  mutating func add(_ id: Int64, of room: RoomName, age: Int64 = 0, at now: Int64) {
    if lines[room] == nil { ready.append(room) }
    lines[room, default: Line()].entries.append(Entry(id: id, end: now &+ policy.longestAge &- age))
    queued += 1
  }

  /// Returns the next delivery; nil if none is due, or enough are in flight.
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
      return Delivery(room: room, id: first.id, resets: line.resets)
    }
    return nil
  }

  /// Processes the result of a delivery. Returns true if its room has advanced past the event; a replay may have reset the room
  /// meanwhile.
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

  /// The earliest time at which `next` may return a delivery; nil if that requires an event or a result first.
  var nextDeadline: Int64? { inFlight < max(1, policy.concurrent) ? waiting.first : nil }

  /// Whether nothing is in flight or due: queued events wait for their next attempt.
  var isIdle: Bool { inFlight == 0 && ready.isEmpty }

  /// Resets a room to these events, by their ids and ages, oldest first.
  mutating func replay(_ events: [(id: Int64, age: Int64)], of room: RoomName, at now: Int64) {
    if lines[room] == nil {
      guard !events.isEmpty else { return }
      ready.append(room)
    }
    var line = lines.removeValue(forKey: room) ?? Line()
    queued += events.count - line.entries.count
    line.resets += 1
    line.entries = CircularBuffer(events.map { Entry(id: $0.id, end: now &+ policy.longestAge &- $0.age) })
    lines[room] = line
  }

  /// Drops an event in flight, because it is no longer stored, and those of its room before it.
  mutating func drop(_ delivery: Delivery) {
    guard var line = lines.removeValue(forKey: delivery.room) else { return }
    drop(from: &line) { $0.id <= delivery.id }
    lines[delivery.room] = line
    finished(delivery, succeeded: true, at: 0, random: 0)
  }

  /// Removes the room of a delivery in flight, because another server delivers its events, unless the room was reset meanwhile.
  mutating func release(_ delivery: Delivery) {
    if var line = lines[delivery.room], line.resets == delivery.resets {
      queued -= line.entries.count
      line.entries = CircularBuffer()
      lines[delivery.room] = line
    }
    finished(delivery, succeeded: true, at: 0, random: 0)
  }

  /// Drops all events before this one, because they are no longer stored.
  mutating func forget(before id: Int64) {
    for room in Array(lines.keys) {
      guard var line = lines.removeValue(forKey: room) else { continue }
      drop(from: &line) { $0.id < id }
      // Its entry in `ready` or `waiting` remains, and finds the line or an empty one.
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

  /// Returns how long the oldest event has waited; nil if none waits.
  func oldestAge(at now: Int64) -> Int64? {
    lines.values.lazy.compactMap { $0.entries.first?.end }.min().map { policy.longestAge &- ($0 &- now) }
  }
}

/// Rooms by the end of their wait, in a binary heap.
private struct WaitingRooms: Sendable {
  private var heap: [(due: Int64, order: UInt64, room: RoomName)] = []
  private var inserted: UInt64 = 0

  /// The earliest time.
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
