import RoomCluster
import RoomProtocol
import RoomRTP

/// A node with a clock of its own.
final class SimulatedNode {
  let id: NodeID
  /// The speed of its clock, and its start.
  let (rate, offset): (Double, Int64)
  let process: UInt64
  let startedAt: Int64
  var lease: NodeLease
  var takeovers: Takeovers
  var isAlive = true
  /// What arrives while it is stopped.
  var isPaused = false
  var waiting: [() -> Void] = []
  /// The server that it is connected to.
  var server: SimulatedServer?
  /// Counts its connections: answers of an earlier one do not arrive.
  var connection = 0
  /// Cut off from the store.
  var isCut = false
  /// TCP keeps the order.
  var (lastRequest, lastAnswer): (Int64, Int64) = (0, 0)

  init(_ id: NodeID, rate: Double, offset: Int64, process: UInt64, timing: LeaseTiming, at time: Int64) {
    self.id = id
    self.rate = rate
    self.offset = offset
    self.process = process
    startedAt = time
    let local = Instant(microseconds: offset + Int64(Double(time) * rate))
    lease = NodeLease(timing, now: local)
    takeovers = Takeovers(turn: timing.turn)
  }

  func local(_ time: Int64) -> Instant { Instant(microseconds: offset + Int64(Double(time) * rate)) }

  /// Whether it believes that it owns a room. A stopped node does nothing with it.
  func owns(_ room: RoomName, at time: Int64) -> Bool {
    isAlive && !isPaused && lease.fence(of: room, now: local(time)) != nil
  }
}

extension NodeID {
  /// The name of a node of a test.
  init(number: some BinaryInteger) { self = NodeID("n\(number)") ?? "n" }
}
