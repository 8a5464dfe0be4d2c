import Codecs
import RTP

/// Which pictures of a track are encoded, and with how many bits: by their size and rate, and less of both while the uplink is weak.
struct TranscodePace {
  /// Bits a second, at least and at most, if nothing else is set.
  private static let bitrates = 100_000...20_000_000
  /// Microseconds over which the rate of the track is measured.
  private static let window: Int64 = 2_000_000

  private let settings: ForwardProgram.Settings
  private var width = 0
  private var height = 0
  /// Pictures a second that the track has.
  private var rate: Int
  private var windowStart: MediaTime?
  private var pictures = 0
  private var last: MediaTime?
  /// Pictures that may be encoded, in millionths.
  private var credit: Int64 = 0
  private var steps: UplinkSteps

  init(_ settings: ForwardProgram.Settings) {
    self.settings = settings
    rate = settings.transcodeFPS
    steps = UplinkSteps(bitrate: Self.bitrates.lowerBound, least: Self.bitrates.lowerBound, fps: settings.transcodeFPS)
  }

  /// Frames a second that are encoded.
  var fps: Int { steps.fps }
  /// Bits a second.
  var bitrate: Int { steps.bitrate }

  /// What the last picture is encoded with.
  var encoder: VideoEncoderSettings {
    VideoEncoderSettings(
      width: width & ~1, height: height & ~1, fps: steps.fps, bitrate: steps.bitrate, keyFrameInterval: steps.fps * 2)
  }

  /// A picture of the track was decoded.
  /// - Returns: whether it is to be encoded. More than the frame rate are left out, evenly.
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

  /// Once a second: how the way out fares.
  /// - Parameters:
  ///   - queued: milliseconds of media that wait.
  ///   - dropped: frames dropped since the start.
  mutating func heard(queued: Int, dropped: UInt64) { steps.heard(queued: queued, dropped: dropped) }

  /// Counts pictures, and takes another rate only if it differs by more than a tenth: each costs a change of the encoder.
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
    // After a pause the count says nothing.
    guard elapsed < 2 * Self.window, abs(measured - rate) * 10 > rate else { return }
    rate = measured
    rebase()
  }

  private mutating func rebase() {
    let fps = min(rate, settings.transcodeFPS)
    let usual = MixPicture.usualBitrate(width: width, height: height, fps: fps)
    let most = settings.transcodeBitrate ?? min(max(usual, Self.bitrates.lowerBound), Self.bitrates.upperBound)
    steps.change(bitrate: most, least: settings.transcodeLeastBitrate ?? most / 3, fps: fps)
  }
}
