import RoomRTP
import Foundation

/// The monotonic clock as media time.
enum MonotonicTime {
  static var now: MediaTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MediaTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
