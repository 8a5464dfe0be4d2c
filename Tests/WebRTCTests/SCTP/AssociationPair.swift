import RoomLinkModel
import RoomRTP

@testable import RoomWebRTC

/// Two associations and the links between them, in virtual time.
final class AssociationPair {
  enum Side: Int { case left, right }

  private struct Flight {
    var arrival: Instant
    var to: Side
    var packet: [UInt8]
  }

  var ends: [SCTPAssociation]
  var links: [LinkModel]
  /// Sees, changes or drops (nil) each packet before its link.
  var filter: (Side, [UInt8]) -> [UInt8]? = { $1 }
  /// Whether a side takes its events.
  var takes = [true, true]
  private(set) var now = Instant(microseconds: 1_000_000)
  private(set) var events: [[SCTPEvent]] = [[], []]
  private(set) var packets = [0, 0]
  private var flights: [Flight] = []

  init(
    _ left: SCTPConfiguration = .init(), _ right: SCTPConfiguration = .init(),
    conditions: LinkConditions = LinkConditions(delay: 10_000), seed: UInt64 = 1
  ) {
    ends = [SCTPAssociation(left), SCTPAssociation(right)]
    links = [LinkModel(conditions, seed: seed), LinkModel(conditions, seed: seed &+ 1000)]
  }

  /// Two connected associations.
  static func connected(
    _ left: SCTPConfiguration = .init(), _ right: SCTPConfiguration = .init(),
    conditions: LinkConditions = LinkConditions(delay: 10_000), seed: UInt64 = 1
  ) -> AssociationPair {
    let pair = AssociationPair(left, right, conditions: conditions, seed: seed)
    pair.ends[0].start(now: pair.now)
    pair.run { pair.ends[0].isConnected && pair.ends[1].isConnected }
    return pair
  }

  func messages(_ side: Side) -> [SCTPMessage] {
    events[side.rawValue].compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  /// Takes the messages that a side has received so far.
  func takeMessages(_ side: Side) -> [SCTPMessage] {
    defer { events[side.rawValue].removeAll { if case .message = $0 { true } else { false } } }
    return messages(side)
  }

  func closure(_ side: Side) -> SCTPClosure? {
    events[side.rawValue].lazy.compactMap { if case .closed(let reason) = $0 { reason } else { nil } }.first
  }

  /// Runs until the condition holds, or for at most `limit`.
  @discardableResult func run(_ limit: Duration = .seconds(120), until condition: () -> Bool = { false }) -> Bool {
    let end = now.advanced(microseconds: limit.microseconds)
    flush()
    while !condition() {
      let next = (ends.compactMap(\.deadline) + (flights.last.map { [$0.arrival] } ?? [])).min()
      guard let next, next <= end else {
        now = end
        return condition()
      }
      now = max(now, next)
      while let flight = flights.last, flight.arrival <= now {
        flights.removeLast()
        flight.packet.withUnsafeBytes { ends[flight.to.rawValue].receive($0, now: now) }
        flush()
      }
      for side in ends.indices { ends[side].advance(to: now) }
      flush()
    }
    return true
  }

  /// Sends what both sides have to send, and takes their events.
  func flush() {
    for side in [Side.left, .right] {
      if takes[side.rawValue] {
        while let event = ends[side.rawValue].nextEvent() { events[side.rawValue].append(event) }
      }
      while let packet = ends[side.rawValue].nextPacket(now: now) {
        packets[side.rawValue] += 1
        guard let packet = filter(side, packet) else { continue }
        let to: Side = side == .left ? .right : .left
        switch links[side.rawValue].send(bytes: packet.count, at: now) {
        case .arrives(let time): insert(Flight(arrival: time, to: to, packet: packet))
        case .arrivesTwice(let time, let again):
          insert(Flight(arrival: time, to: to, packet: packet))
          insert(Flight(arrival: again, to: to, packet: packet))
        case .lost, .overflowed: break
        }
      }
    }
  }

  /// Delivers a packet at once.
  func deliver(_ packet: [UInt8], to side: Side) {
    packet.withUnsafeBytes { ends[side.rawValue].receive($0, now: now) }
    flush()
  }

  /// The last element arrives first.
  private func insert(_ flight: Flight) {
    var (low, high) = (0, flights.count)
    while low < high {
      let middle = (low + high) / 2
      if flights[middle].arrival > flight.arrival { low = middle + 1 } else { high = middle }
    }
    flights.insert(flight, at: low)
  }
}

extension SCTPMessage {
  /// A message whose payload depends on a number, so that each can be recognised.
  init(
    _ stream: UInt16, number: UInt32, size: Int, isUnordered: Bool = false, reliability: Reliability = .reliable
  ) {
    var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 31), count: size)
    for byte in 0..<min(4, size) { payload[byte] = UInt8(truncatingIfNeeded: number >> (24 - UInt32(byte) * 8)) }
    self.init(stream: stream, protocolID: 53, payload: payload, isUnordered: isUnordered, reliability: reliability)
  }

  var number: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}
