/// The time until which libavformat may wait. The library asks from inside its calls, on the thread that has made the call.
final class ReadDeadline {
  private let time: Duration
  private var end = ContinuousClock.now
  private(set) var hasPassed = false

  init(_ seconds: Double) { time = .seconds(seconds) }

  /// Begins the next step.
  func restart() {
    end = .now + time
    hasPassed = false
  }

  /// The argument of ``isOver(_:)``; valid as long as the object.
  var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func isOver(_ opaque: UnsafeMutableRawPointer?) -> Bool {
    guard let opaque else { return false }
    let deadline = Unmanaged<ReadDeadline>.fromOpaque(opaque).takeUnretainedValue()
    guard .now > deadline.end else { return false }
    deadline.hasPassed = true
    return true
  }
}
