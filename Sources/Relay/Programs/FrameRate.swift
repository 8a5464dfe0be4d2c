import RoomRTP

/// The frame rate of a mix. The rate drops below the configured rate while the machine does not keep up, and then recovers.
struct FrameRate {
  /// The frame rates to step through.
  private static let steps = [10, 12, 15, 20, 24, 25, 30, 50, 60]
  private static let window: Int64 = 2_000_000
  private static let calm: Int64 = 15_000_000

  private let wanted: Int
  private(set) var fps: Int
  private var began: Instant?
  private var lateSince: Instant?
  private var frames = 0
  private var late = 0
  private var busy: Int64 = 0

  init(_ wanted: Int) {
    self.wanted = wanted
    fps = wanted
  }

  /// Records a composed frame.
  /// - Parameters:
  ///   - isLate: Whether the frame is late by more than two frames.
  ///   - busy: The CPU time of the frame in µs.
  mutating func made(isLate: Bool, busy: Int64, now: Instant) {
    let began = began ?? now
    self.began = began
    frames += 1
    if isLate { late += 1 }
    self.busy += busy
    guard now - began >= Self.window else { return }
    defer {
      self.began = now
      frames = 0
      late = 0
      self.busy = 0
    }
    if late * 10 >= frames * 3 {
      lateSince = now
      if let lower = Self.steps.last(where: { $0 < fps }) { fps = lower }
    } else if late > 0 {
      lateSince = now
    } else if fps < wanted, now - (lateSince ?? began) >= Self.calm {
      // Step up only if the CPU cost leaves room.
      let higher = min(Self.steps.first { $0 > fps } ?? wanted, wanted)
      guard self.busy / Int64(max(1, frames)) * Int64(higher) < 700_000 else { return }
      fps = higher
      lateSince = now
    }
  }
}
