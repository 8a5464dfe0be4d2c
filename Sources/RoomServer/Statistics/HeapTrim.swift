import CLinux
import Linux

/// Decides when memory that was freed goes back to the system.
///
/// glibc keeps what is freed in the middle of the heap: after a thousand slow clients had left, 546 MB stayed resident. Giving it back
/// takes tens of milliseconds in which other threads can't allocate, so it is done only after a crowd has left.
struct HeapTrim: Sendable, Hashable {
  /// A server that is smaller has nothing worth the pause.
  static let leastResident: Int64 = 256 << 20
  /// Sockets that make a crowd.
  static let crowd = 100

  /// The most sockets since the last time.
  private var peak = 0

  /// Whether to trim now: more than half of a crowd has left.
  mutating func isDue(sockets: Int, resident: Int64) -> Bool {
    peak = max(peak, sockets)
    guard peak >= Self.crowd, sockets < peak / 2, resident >= Self.leastResident else { return false }
    peak = sockets
    return true
  }

  /// Gives free pages back, on a thread that may wait.
  static func trim() async { await blocking(named: "trim") { linux_release_freed_memory() } }
}
