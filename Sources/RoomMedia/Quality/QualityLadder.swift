import RoomCodecs
import RoomRTP

/// Selects frame rate and size of a video for the bitrate that the path carries, or pauses it. The bitrate within a rung follows
/// the path without delay.
///
/// Pass the available bitrate to `update` with each picture.
struct QualityLadder: Sendable {
  /// The lowest bitrate in bits per second. Below it no encoder here produces a usable picture.
  static let leastBitrate = 30_000
  /// The minimum bitrate as a share of the nominal one, in percent.
  static let minimumPercent = 40

  /// How long a drop must last, in microseconds, for each step of the frame rate after the first, before it costs a key frame, and
  /// before it pauses the video. The estimate falls below the capacity for up to a second, so that a queue drains.
  private static let ratePatience: Int64 = 300_000
  private static let sizePatience: Int64 = 1_200_000
  private static let pausePatience: Int64 = 1_500_000
  /// The sizes in quarters of the nominal sides, and the shortest side in pixels that a smaller size may have.
  private static let smallerSizes = [3, 2]
  private static let shortestSide = 90
  private static let frameRates = [20, 15, 12, 10]

  /// A frame rate and size, and the bitrate that they need.
  private struct Rung: Sendable {
    var fps: Int
    var width: Int
    var height: Int
    var floor: Int
  }

  private let nominal: VideoEncoderSettings
  /// The best rung first.
  private let rungs: [Rung]
  private var staircase: Staircase

  /// Creates a ladder below these settings, at the rung for an available bitrate; nil means that it is unknown.
  init(_ nominal: VideoEncoderSettings, _ adaptation: VideoAdaptation, available: Int? = nil) {
    self.nominal = nominal
    let least = min(Self.leastBitrate, nominal.bitrate)
    let minimum = min(
      max(adaptation.minBitrate ?? nominal.bitrate / 100 * Self.minimumPercent, least), nominal.bitrate)
    var rungs = [Rung(fps: nominal.fps, width: nominal.width, height: nominal.height, floor: minimum)]
    if adaptation.lowersFrameRate {
      for fps in Self.frameRates where fps < nominal.fps {
        rungs.append(
          Rung(fps: fps, width: nominal.width, height: nominal.height, floor: max(minimum * fps / nominal.fps, least)))
      }
    }
    if adaptation.lowersSize {
      let fps = rungs.last?.fps ?? nominal.fps
      for quarters in Self.smallerSizes {
        let (width, height) = (nominal.width * quarters / 4 & ~1, nominal.height * quarters / 4 & ~1)
        guard min(width, height) >= Self.shortestSide else { break }
        let floor = minimum * fps / nominal.fps * quarters * quarters / 16
        rungs.append(Rung(fps: fps, width: width, height: height, floor: max(floor, least)))
      }
    }
    // Only an app that sets a minimum prefers no picture to a worse one.
    if adaptation.minBitrate == nil { rungs[rungs.count - 1].floor = least }
    self.rungs = rungs
    let steps = rungs.enumerated().map { index, rung in
      let isSmaller = rung.width != nominal.width
      return Staircase.Step(
        floor: rung.floor, patience: isSmaller ? Self.sizePatience : Int64(max(0, index - 1)) * Self.ratePatience)
    }
    staircase = Staircase(steps, offPatience: Self.pausePatience, available: available)
  }

  /// The lowest bitrate in bits per second with which the video is not paused.
  var minimum: Int { rungs.last?.floor ?? 0 }

  /// What to send.
  var quality: VideoQuality {
    let rung = rungs[min(staircase.current, rungs.count - 1)]
    return VideoQuality(width: rung.width, height: rung.height, fps: rung.fps, isPaused: staircase.isOff)
  }

  /// Returns the encoder's settings at an available bitrate. Key frames keep their distance in time.
  func settings(available: Int) -> VideoEncoderSettings {
    let quality = quality
    var settings = nominal
    (settings.width, settings.height, settings.fps) = (quality.width, quality.height, quality.fps)
    settings.bitrate = min(max(available, Self.leastBitrate), nominal.bitrate)
    if nominal.keyFrameInterval > 0 { settings.keyFrameInterval = max(1, nominal.keyFrameInterval * quality.fps / nominal.fps) }
    return settings
  }

  /// Updates the rung by the available bitrate in bits per second.
  mutating func update(available: Int, now: Instant) { staircase.update(available: available, now: now) }
}
