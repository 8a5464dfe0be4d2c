import RoomCodecs
import RoomRTP

/// A level of H.264. ``H264Limits`` has the levels 3.0 to 3.2, 4.0 and 4.1.
public typealias H264Level = RoomRTP.H264Level

/// The largest size, frame rate and bitrate of a profile at a level.
public struct H264Limits: Sendable, Hashable {
  /// The profile.
  public let profile: H264Encoder.Profile
  /// The level.
  public let level: H264Level
  /// The largest longer side in pixels, for portrait and landscape.
  public let longSide: Int
  /// The largest shorter side in pixels.
  public let shortSide: Int
  /// The highest frame rate in frames per second.
  public let fps: Int
  /// The highest bitrate in bits per second.
  public let bitrate: Int

  /// All supported combinations, the lowest level of each profile first.
  public static let all: [H264Limits] = [
    H264Limits(.baseline, .level30, 720, 480, fps: 30, megabits: 10),
    H264Limits(.baseline, .level31, 1280, 720, fps: 30, megabits: 14),
    H264Limits(.baseline, .level41, 1920, 1080, fps: 30, megabits: 50),
    H264Limits(.main, .level30, 720, 480, fps: 30, megabits: 10),
    H264Limits(.main, .level31, 1280, 720, fps: 30, megabits: 14),
    H264Limits(.main, .level32, 1280, 1024, fps: 30, megabits: 20),
    H264Limits(.main, .level41, 1920, 1080, fps: 30, megabits: 50),
    H264Limits(.high, .level40, 1920, 1080, fps: 30, megabits: 25),
    H264Limits(.high, .level41, 1920, 1080, fps: 30, megabits: 62.5),
  ]

  init(
    _ profile: H264Encoder.Profile, _ level: H264Level, _ longSide: Int, _ shortSide: Int, fps: Int, megabits: Double
  ) {
    self.profile = profile
    self.level = level
    self.longSide = longSide
    self.shortSide = shortSide
    self.fps = fps
    bitrate = Int(megabits * 1_000_000)
  }

  /// Returns the limits of a profile at a level, or nil if the combination is not supported.
  public static func limits(_ profile: H264Encoder.Profile, _ level: H264Level) -> H264Limits? {
    all.first { $0.profile == profile && $0.level == level }
  }

  static func check(_ configuration: VideoConfiguration) throws(VideoLimitError) {
    if let level = configuration.level {
      guard let limits = limits(configuration.profile, level) else {
        throw .noSuchLevel(profile: configuration.profile, level: level)
      }
      try limits.check(configuration.settings)
      return
    }
    // Any level is sufficient; the error of the highest one is the clearest.
    var refusal: VideoLimitError?
    for limits in all where limits.profile == configuration.profile {
      do throws(VideoLimitError) {
        try limits.check(configuration.settings)
        return
      } catch {
        refusal = error
      }
    }
    if let refusal { throw refusal }
  }

  func check(_ settings: VideoEncoderSettings) throws(VideoLimitError) {
    let sides = (long: max(settings.width, settings.height), short: min(settings.width, settings.height))
    guard sides.long <= longSide, sides.short <= shortSide else {
      throw .size(width: settings.width, height: settings.height, limits: self)
    }
    guard settings.fps <= fps else { throw .frameRate(settings.fps, limits: self) }
    guard settings.bitrate <= bitrate else { throw .bitrate(settings.bitrate, limits: self) }
  }
}

/// The limit of the H.264 profile that a configuration exceeds.
public enum VideoLimitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The size in pixels exceeds the limit.
  case size(width: Int, height: Int, limits: H264Limits)
  /// The frame rate in frames per second exceeds the limit.
  case frameRate(Int, limits: H264Limits)
  /// The bitrate in bits per second exceeds the limit.
  case bitrate(Int, limits: H264Limits)
  /// The profile is not supported at this level.
  case noSuchLevel(profile: H264Encoder.Profile, level: H264Level)

  /// A sentence that describes the error.
  public var description: String {
    func name(_ limits: H264Limits) -> String { "H.264 \(limits.profile.rawValue) \(limits.level.rawValue)" }
    switch self {
    case .size(let width, let height, let limits):
      return "\(width)x\(height) is more than \(name(limits)) allows: \(limits.longSide)x\(limits.shortSide)"
    case .frameRate(let fps, let limits): return "\(fps) fps is more than \(name(limits)) allows: \(limits.fps)"
    case .bitrate(let bitrate, let limits):
      return "\(bitrate) bit/s is more than \(name(limits)) allows: \(limits.bitrate)"
    case .noSuchLevel(let profile, let level): return "H.264 \(profile.rawValue) is not supported at level \(level.rawValue)"
    }
  }
}
