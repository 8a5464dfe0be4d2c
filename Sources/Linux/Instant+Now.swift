import RoomCLinux
import RoomRTP

extension Instant {
  /// The current time of the monotonic clock. Protocol code does not read it: its caller passes the time in.
  package static var now: Instant { Instant(microseconds: linux_now_us()) }
}
