import CLinux
import RTP

extension Instant {
  /// The monotonic clock. Protocols don't read it: whoever runs them passes the time in.
  package static var now: Instant { Instant(microseconds: linux_now_us()) }
}
