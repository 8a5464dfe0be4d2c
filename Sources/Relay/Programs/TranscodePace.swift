import RoomCodecs
import RoomPush
import RoomRTP

/// Decides which pictures of a track are encoded and at what bitrate, based on their size and rate. Both are reduced while the
/// uplink is congested.
struct TranscodePace {
  /// The default range of bitrates in bps.
  private static let bitrates = 100_000...20_000_000
  /// The window in which the track's frame rate is measured, in µs.
  private static let window: Int64 = 2_000_000

  private let settings: ForwardProgram.Settings
  private var width = 0
  private var height = 0
  /// The track's frame rate in pictures per second.
  private var rate: Int
  private var windowStart: MediaTime?
  private var pictures = 0
  private var last: MediaTime?
  /// The number of pictures that may be encoded, in millionths.
  private var credit: Int64 = 0
  private var steps: UplinkSteps

  init(_ settings: ForwardProgram.Settings) {
    self.settings = settings
    rate = settings.transcodeFPS
    steps = UplinkSteps(bitrate: Self.bitrates.lowerBound, least: Self.bitrates.lowerBound, fps: settings.transcodeFPS)
  }

  /// The encoded frame rate in frames per second.
  var fps: Int { steps.fps }
  /// The bitrate in bps.
  var bitrate: Int { steps.bitrate }

  /// The encoder settings for the last picture.
  var encoder: VideoEncoderSettings {
    VideoEncoderSettings(
      width: width & ~1, height: height & ~1, fps: steps.fps, bitrate: steps.bitrate, keyFrameInterval: steps.fps * 2)
  }

  /// Records a decoded picture of the track.
  /// - Returns: Whether to encode it. Pictures above the frame rate are skipped evenly.
  mutating func takes(width: Int, height: Int, at time: MediaTime) -> Bool {
    measure(time)
    if (width, height) != (self.width, self.height) {
      (self.width, self.height) = (width, height)
      rebase()
    }
    defer { last = time }
    guard let last, steps.fps < rate else {
      credit = 0
      return true
    }
    credit = min(credit + (time - last) * Int64(steps.fps), 2_000_000)
    guard credit >= 1_000_000 else { return false }
    credit -= 1_000_000
    return true
  }

  /// Reports the connection's state; called once a second.
  /// - Parameters:
  ///   - queued: The media waiting to be sent, in ms.
  ///   - dropped: The number of frames dropped since the start.
  mutating func uplinkReported(queued: Int, dropped: UInt64) { steps.uplinkReported(queued: queued, dropped: dropped) }

  /// Measures the frame rate. The rate changes only if it differs by more than a tenth, because each change reconfigures the
  /// encoder.
  private mutating func measure(_ time: MediaTime) {
    guard let start = windowStart else {
      windowStart = time
      return
    }
    pictures += 1
    let elapsed = time - start
    guard elapsed >= Self.window else { return }
    let measured = max(1, Int((Int64(pictures) * 1_000_000 + elapsed / 2) / elapsed))
    windowStart = time
    pictures = 0
    // After a pause the count is meaningless.
    guard elapsed < 2 * Self.window, abs(measured - rate) * 10 > rate else { return }
    rate = measured
    rebase()
  }

  private mutating func rebase() {
    let fps = min(rate, settings.transcodeFPS)
    let usual = MixPicture.defaultBitrate(width: width, height: height, fps: fps)
    let most = settings.transcodeBitrate ?? min(max(usual, Self.bitrates.lowerBound), Self.bitrates.upperBound)
    steps.change(bitrate: most, least: settings.transcodeLeastBitrate ?? most / 3, fps: fps)
  }
}
