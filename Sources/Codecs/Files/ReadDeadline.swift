import Glibc

/// The time until which libavformat may wait. It asks from inside its calls, on the thread that has made the call.
final class ReadDeadline {
  private let seconds: Double
  private var end = 0.0
  private(set) var hasPassed = false

  init(_ seconds: Double) { self.seconds = seconds }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Begins the next step.
  func restart() {
    end = Self.now + seconds
    hasPassed = false
  }

  /// The argument of ``isOver(_:)``; valid as long as the object.
  var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func isOver(_ opaque: UnsafeMutableRawPointer?) -> Bool {
    guard let opaque else { return false }
    let deadline = Unmanaged<ReadDeadline>.fromOpaque(opaque).takeUnretainedValue()
    guard now > deadline.end else { return false }
    deadline.hasPassed = true
    return true
  }
}
