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

  /// The size stays for this long, in microseconds, because a change costs a key frame; and the video before a pause.
  private static let sizePatience: Int64 = 500_000
  private static let pausePatience: Int64 = 1_000_000
  /// A step up needs 13/10 of its bitrate for this long.
  private static let climbPatience: Int64 = 3_000_000
  private static func headroom(_ bitrate: Int) -> Int { bitrate / 10 * 13 }

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
  /// The index of the current rung; the number of rungs while paused.
  private var current = 0
  /// Since when the path carries less than the current rung needs.
  private var shortSince: Instant?
  /// The rung that the path could carry since then.
  private var climb: (rung: Int, since: Instant)?

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
    self.rungs = rungs
    if let available { current = rungs.firstIndex { $0.floor <= available } ?? rungs.count }
  }

  /// The lowest bitrate in bits per second with which the video is not paused.
  var minimum: Int { rungs.last?.floor ?? 0 }

  /// What to send.
  var quality: VideoQuality {
    let rung = rungs[min(current, rungs.count - 1)]
    return VideoQuality(width: rung.width, height: rung.height, fps: rung.fps, isPaused: current == rungs.count)
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
  mutating func update(available: Int, now: Instant) {
    let fitting = rungs.firstIndex { $0.floor <= available } ?? rungs.count
    if fitting > current {
      climb = nil
      descend(to: fitting, now: now)
    } else {
      shortSince = nil
      ascend(available: available, now: now)
    }
  }

  private mutating func descend(to fitting: Int, now: Instant) {
    let since = shortSince ?? now
    shortSince = since
    let reachable: Int
    if now - since >= Self.pausePatience {
      reachable = rungs.count
    } else if now - since >= Self.sizePatience {
      reachable = rungs.count - 1
    } else {
      // A lower frame rate costs nothing.
      let width = rungs[min(current, rungs.count - 1)].width
      reachable = rungs.lastIndex { $0.width == width } ?? current
    }
    current = max(current, min(fitting, reachable))
    if current == fitting { shortSince = nil }
  }

  private mutating func ascend(available: Int, now: Instant) {
    guard let possible = rungs.firstIndex(where: { Self.headroom($0.floor) <= available }), possible < current else {
      climb = nil
      return
    }
    let open = climb.map { (rung: max($0.rung, possible), since: $0.since) } ?? (rung: possible, since: now)
    climb = open
    guard now - open.since >= Self.climbPatience else { return }
    current = open.rung
    climb = nil
  }
}
