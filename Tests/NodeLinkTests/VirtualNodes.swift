import RoomLinkModel
import RoomNodeLink
import RoomRTP

/// Two nodes with a link between them, in virtual time. `near` sends records; `far` receives them.
final class VirtualNodes {
  private struct Flight {
    var at: Instant
    var isToFar: Bool
    var bytes: [UInt8]
  }

  /// What `far` received.
  struct Delivery {
    var record: LinkRecord
    var payload: [UInt8]
    var at: Instant
  }

  static let secret = [UInt8](repeating: 7, count: 32)
  static let nearEnd = LinkEnd(node: "near", incarnation: 1)
  static let farEnd = LinkEnd(node: "far", incarnation: 1)

  private(set) var now = Instant(microseconds: 1_000_000)
  var near: Link
  var far: Link
  var down: LinkModel
  var up: LinkModel
  private var flights: [Flight] = []
  private(set) var deliveries: [Delivery] = []
  private(set) var nearEvents: [LinkEvent] = []
  private(set) var farEvents: [LinkEvent] = []
  /// The datagrams that left `near`, if `keepsSent` is set.
  private(set) var sent: [[UInt8]] = []
  var keepsSent = false
  /// If false, `near` hears nothing.
  var nearHears = true
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Link.longestDatagram, alignment: 64)

  init(down: LinkConditions, up: LinkConditions, seed: UInt64 = 1, options: LinkOptions = LinkOptions()) throws {
    let nearKeys = try LinkKeys(secret: Self.secret, local: Self.nearEnd, remote: Self.farEnd)
    let farKeys = try LinkKeys(secret: Self.secret, local: Self.farEnd, remote: Self.nearEnd)
    near = try Link(nearKeys, options: options, now: now)
    far = try Link(farKeys, options: options, now: now)
    self.down = LinkModel(down, seed: seed)
    self.up = LinkModel(up, seed: seed &+ 1)
  }

  /// A network with this round trip in milliseconds, and the same conditions in both directions.
  convenience init(roundTrip: Int64, _ change: (inout LinkConditions) -> Void = { _ in }, seed: UInt64 = 1) throws {
    var conditions = LinkConditions(delay: roundTrip * 500)
    change(&conditions)
    try self.init(down: conditions, up: conditions, seed: seed)
  }

  deinit { buffer.deallocate() }

  func setConditions(_ change: (inout LinkConditions) -> Void) {
    change(&down.conditions)
    change(&up.conditions)
  }

  /// Runs for some milliseconds and calls `tick` every `interval` microseconds, then sends what it wrote.
  func run(milliseconds: Int64, every interval: Int64 = 1_000, _ tick: (VirtualNodes) -> Void = { _ in }) {
    let end = now.advanced(milliseconds: milliseconds)
    var nextTick = now
    while now < end {
      if now >= nextTick {
        tick(self)
        near.flush(now: now)
        far.flush(now: now)
        nextTick = now.advanced(microseconds: interval)
      }
      arrive()
      near.advance(to: now)
      far.advance(to: now)
      send()
      while let event = near.nextEvent() { nearEvents.append(event) }
      while let event = far.nextEvent() { farEvents.append(event) }
      let next = min(nextTick, near.deadline, far.deadline, flights.first?.at ?? end, end)
      now = max(next, now.advanced(microseconds: 1))
    }
  }

  /// Writes a record at `near` whose payload depends on its number.
  @discardableResult
  func write(
    _ sequence: Int64, stream: UInt32 = 1, bytes: Int = 1000, _ change: (inout LinkRecord) -> Void = { _ in }
  ) -> Bool {
    let payload = Self.payload(sequence, bytes: bytes)
    var record = LinkRecord(
      stream: stream, kind: 3, format: 0x81, sequence: sequence, timestamp: UInt32(truncatingIfNeeded: sequence))
    change(&record)
    return payload.withUnsafeBytes { near.write(record, $0, now: now) }
  }

  static func payload(_ sequence: Int64, bytes: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: sequence &* 31), count: bytes)
  }

  /// Returns whether a payload is that of a record.
  static func isPayload(_ bytes: [UInt8], of sequence: Int64, count: Int) -> Bool {
    let expected = payload(sequence, bytes: count)
    return bytes.count == count
      && bytes.withUnsafeBytes { found in expected.withUnsafeBytes { found.elementsEqual($0) } }
  }

  /// Passes bytes to `far` as if they came from `near`.
  @discardableResult
  func inject(_ bytes: [UInt8]) -> LinkRefusal? {
    bytes.withUnsafeBytes { datagram in
      far.receive(datagram, now: now) { deliveries.append(Delivery(record: $0, payload: Array($1), at: now)) }
    }
  }

  private func arrive() {
    while let flight = flights.first, flight.at <= now {
      flights.removeFirst()
      if flight.isToFar {
        inject(flight.bytes)
      } else if nearHears {
        flight.bytes.withUnsafeBytes { datagram in _ = near.receive(datagram, now: now) { _, _ in } }
      }
    }
  }

  private func send() {
    while true {
      let length = near.next(into: buffer, now: now)
      guard length > 0 else { break }
      let bytes = Array(buffer[..<length])
      if keepsSent { sent.append(bytes) }
      fly(bytes, isToFar: true, down.send(bytes: length + 28, at: now))
    }
    while true {
      let length = far.next(into: buffer, now: now)
      guard length > 0 else { break }
      fly(Array(buffer[..<length]), isToFar: false, up.send(bytes: length + 28, at: now))
    }
  }

  private func fly(_ bytes: [UInt8], isToFar: Bool, _ fate: LinkModel.Fate) {
    func insert(_ at: Instant) {
      var place = flights.count
      while place > 0, flights[place - 1].at > at { place -= 1 }
      flights.insert(Flight(at: at, isToFar: isToFar, bytes: bytes), at: place)
    }
    switch fate {
    case .arrives(let at): insert(at)
    case .arrivesTwice(let first, let second):
      insert(first)
      insert(second)
    case .lost, .overflowed: break
    }
  }
}
