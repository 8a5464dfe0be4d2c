import RoomLinkModel
import RoomRTP

/// Both directions of a link without I/O: takes packets, returns those that have arrived, and keeps the logs.
struct LinkTransit: Sendable {
  enum Direction: Sendable { case down, up }

  struct Packet: Sendable {
    let bytes: [UInt8]
    let direction: Direction
  }

  fileprivate struct Lane: Sendable {
    var model: LinkModel
    var log: LinkLog
  }

  /// Maximum number of packets in transit.
  static let packetLimit = 65_536

  private var schedule: LinkSchedule
  /// The start of the schedule and of the record.
  private var start: Instant
  private let seed: UInt64
  private var step = 0
  private var down: Lane
  private var up: Lane
  private var queue = ArrivalQueue<(packet: Packet, arrival: Instant)>()
  private var lateness = TimeHistogram(width: 50, classes: 10_001)

  init(_ schedule: LinkSchedule, seed: UInt64, start: Instant) {
    self.schedule = schedule
    self.seed = seed
    self.start = start
    let first = schedule.steps[0]
    down = Lane(model: LinkModel(first.down, seed: seed), log: LinkLog(start: start))
    up = Lane(model: LinkModel(first.up, seed: ~seed), log: LinkLog(start: start))
  }

  /// Starts the schedule, or another one, and the record anew. Packets in transit, and the random outcomes, continue.
  mutating func begin(_ other: LinkSchedule? = nil, at now: Instant) {
    start = now
    if let other {
      schedule = other
      step = -1
    }
    down.log = LinkLog(start: now)
    up.log = LinkLog(start: now)
    lateness = TimeHistogram(width: 50, classes: 10_001)
    apply(schedule.index(at: 0))
  }

  var nextArrival: Instant? { queue.nextArrival }

  /// Sends a packet over the link. `now` must not decrease.
  mutating func enter(_ packet: Packet, at now: Instant) {
    apply(schedule.index(at: now - start))
    let isFull = queue.count >= Self.packetLimit
    let fate = packet.direction == .down ? down.enter(packet, isFull, now) : up.enter(packet, isFull, now)
    switch fate {
    case .arrives(let arrival): queue.insert((packet, arrival), arrival: arrival)
    case .arrivesTwice(let first, let second):
      queue.insert((packet, first), arrival: first)
      queue.insert((packet, second), arrival: second)
    case .lost, .overflowed, nil: break
    }
  }

  /// Removes and returns the next packet that has arrived by `now`.
  mutating func removeArrived(by now: Instant) -> Packet? {
    guard let (packet, arrival) = queue.removeArrived(by: now) else { return nil }
    lateness.add(now - arrival)
    switch packet.direction {
    case .down: down.log.leave(bytes: packet.bytes.count, at: now)
    case .up: up.log.leave(bytes: packet.bytes.count, at: now)
    }
    return packet
  }

  func report(at now: Instant, isFirst: Bool) -> LinkReport {
    LinkReport(
      seed: seed, seconds: Double(now - start) / 1_000_000, latenessP50: lateness.milliseconds(0.5),
      latenessP99: lateness.milliseconds(0.99), isFirst: isFirst, down: .init(down.log), up: .init(up.log))
  }

  private mutating func apply(_ index: Int) {
    guard index != step else { return }
    step = index
    down.model.conditions = schedule.steps[index].down
    up.model.conditions = schedule.steps[index].up
  }
}

extension LinkTransit.Lane {
  /// Returns nil if the packet is dropped because too many are in transit.
  fileprivate mutating func enter(_ packet: LinkTransit.Packet, _ isFull: Bool, _ now: Instant) -> LinkModel.Fate? {
    let wait = model.wait(at: now)
    let fate = isFull ? nil : model.send(bytes: packet.bytes.count, at: now)
    log.enter(bytes: packet.bytes.count, wait: wait, fate: fate, at: now)
    return fate
  }
}
