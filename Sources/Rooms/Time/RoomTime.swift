import Foundation
import RoomLinux
import RoomRTP

/// A moment on the two clocks that a room uses.
package struct RoomTime: Sendable, Hashable {
  /// Monotonic time.
  var instant: Instant
  /// Milliseconds since 1970.
  package var unix: Int64

  package static var now: RoomTime { RoomTime(instant: .now, unix: Int64(Date().timeIntervalSince1970 * 1000)) }
}
