import RoomCLinux
import RoomRTP
import RoomServer

/// The free part of this node's capacity: of its processors and of its limit of rooms.
struct NodeLoad: Sendable {
  /// Interval over which the load of the processors is measured; µs.
  private static let interval: Int64 = 2_000_000

  private let cores = max(1, Double(linux_cpu_count()))
  private let rooms: Int
  private var measured: (at: Instant, seconds: Double)?
  private var busy = 0.0

  /// - Parameter rooms: the limit of rooms.
  init(rooms: Int) { self.rooms = max(1, rooms) }

  /// Returns the free part, 0 to 1.
  /// - Parameters:
  ///   - seconds: the processor time of the process since its start.
  ///   - rooms: the number of open rooms.
  mutating func headroom(seconds: Double, rooms: Int, now: Instant) -> Double {
    if let last = measured, now - last.at >= Self.interval {
      busy = (seconds - last.seconds) * 1e6 / Double(now - last.at) / cores
      measured = (now, seconds)
    } else if measured == nil {
      measured = (now, seconds)
    }
    let free = 1 - max(busy, Double(rooms) / Double(self.rooms))
    // In steps, so that nodes with nearly the same load get rooms in turn, by their number.
    return (min(1, max(0, free)) * 20).rounded() / 20
  }
}
