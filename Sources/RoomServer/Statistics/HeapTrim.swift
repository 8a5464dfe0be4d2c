import RoomCLinux
import RoomLinux

/// Decides when freed memory is returned to the system.
///
/// glibc keeps memory that is freed in the middle of the heap: after a thousand slow clients had left, 546 MB stayed resident.
/// Returning it takes tens of milliseconds in which other threads can't allocate, so it happens only after a crowd has left.
struct HeapTrim: Sendable, Hashable {
  /// The resident size in bytes below which trimming is not worth the pause.
  static let leastResident: Int64 = 256 << 20
  /// The number of sockets that counts as a crowd.
  static let crowd = 100

  /// The maximum number of sockets since the last trim.
  private var peak = 0

  /// Returns whether to trim now, because more than half of a crowd has left.
  mutating func isDue(sockets: Int, resident: Int64) -> Bool {
    peak = max(peak, sockets)
    guard peak >= Self.crowd, sockets < peak / 2, resident >= Self.leastResident else { return false }
    peak = sockets
    return true
  }

  /// Returns free pages to the system, on a thread that may block.
  static func trim() async { await blocking(named: "trim") { linux_release_freed_memory() } }
}
