import RTP

/// What a weak uplink leaves of a mix' bits and frames: the bitrate goes down to its least, then the frame rate to 10; both come back when
/// the queue stays short.
struct UplinkSteps: Equatable {
  /// Frames a second, at least.
  static let leastFPS = 10
  private static let long = 800
  private static let short = 250
  /// Seconds in a row.
  private static let patience = 6

  let most: Int
  let least: Int
  let wantedFPS: Int
  private(set) var bitrate: Int
  private(set) var fps: Int
  private var dropped: UInt64 = 0
  private var calm = 0

  init(bitrate: Int, least: Int, fps: Int) {
    most = bitrate
    self.least = min(max(least, 10_000), bitrate)
    wantedFPS = fps
    self.bitrate = bitrate
    self.fps = fps
  }

  /// Once a second.
  /// - Parameters:
  ///   - queued: milliseconds of media that wait.
  ///   - dropped: frames dropped since the start.
  mutating func heard(queued: Int, dropped: UInt64) {
    let isWeak = queued > Self.long || dropped > self.dropped
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
