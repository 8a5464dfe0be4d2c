import RTP

/// What a weak uplink leaves of the bits and frames that are encoded here: the bitrate goes down to its least, then the frame rate to 10; both come back when
/// the queue stays short.
struct UplinkSteps: Equatable {
  /// Frames a second, at least.
  static let leastFPS = 10
  private static let long = 800
  private static let short = 250
  /// Seconds in a row.
  private static let patience = 6

  private(set) var most: Int
  private(set) var least: Int
  private(set) var wantedFPS: Int
  private(set) var bitrate: Int
  private(set) var fps: Int
  private var dropped: UInt64?
  private var calm = 0

  init(bitrate: Int, least: Int, fps: Int) {
    most = bitrate
    self.least = min(max(least, 10_000), bitrate)
    wantedFPS = fps
    self.bitrate = bitrate
    self.fps = fps
  }

  /// Wants other bits and frames from here on. What the uplink took of them stays taken.
  mutating func change(bitrate: Int, least: Int, fps: Int) {
    let share = Double(self.bitrate) / Double(most)
    most = bitrate
    self.least = min(max(least, 10_000), bitrate)
    self.bitrate = min(max(Int(Double(bitrate) * share), self.least), bitrate)
    self.fps = self.fps >= wantedFPS ? fps : min(self.fps, fps)
    wantedFPS = fps
  }

  /// Once a second.
  /// - Parameters:
  ///   - queued: milliseconds of media that wait.
  ///   - dropped: frames dropped since the start.
  mutating func heard(queued: Int, dropped: UInt64) {
    let isWeak = queued > Self.long || dropped > (self.dropped ?? dropped)
    self.dropped = dropped
    guard !isWeak else {
      calm = 0
      if bitrate > least {
        bitrate = max(least, bitrate * 7 / 10)
      } else {
        fps = max(min(Self.leastFPS, wantedFPS), fps * 3 / 4)
      }
      return
    }
    calm = queued < Self.short ? calm + 1 : 0
    guard calm >= Self.patience else { return }
    calm = Self.patience / 2
    if fps < wantedFPS {
      fps = min(wantedFPS, fps * 4 / 3 + 1)
    } else {
      bitrate = min(most, bitrate + max(bitrate / 8, 10_000))
    }
  }
}
