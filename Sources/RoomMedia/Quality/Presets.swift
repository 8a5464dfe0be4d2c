import RoomCodecs

/// Named video qualities: H.264 at 24 frames per second. Sizes are for portrait.
///
/// | preset | size in pixels | profile | kbit/s |
/// |---|---|---|---|
/// | `low1`, `low2`, `low3` | 272x480 | baseline | 128, 256, 512 |
/// | `medium1`, `medium2`, `medium3` | 368x640 | high | 512, 768, 1024 |
/// | `high1`, `high2`, `high3` | 720x1280 | high | 1024, 1280, 1536 |
public enum VideoPreset: String, Sendable, Hashable, CaseIterable {
  /// The presets in the order of their quality.
  case low1, low2, low3, medium1, medium2, medium3, high1, high2, high3

  /// The orientation of the picture.
  public enum Orientation: Sendable, Hashable { case portrait, landscape }

  /// Returns the preset as a configuration, which can be changed before use.
  public func configuration(_ orientation: Orientation = .portrait) -> VideoConfiguration {
    let (short, long, profile, kilobits): (Int, Int, H264Encoder.Profile, Int) =
      switch self {
      case .low1: (272, 480, .baseline, 128)
      case .low2: (272, 480, .baseline, 256)
      case .low3: (272, 480, .baseline, 512)
      case .medium1: (368, 640, .high, 512)
      case .medium2: (368, 640, .high, 768)
      case .medium3: (368, 640, .high, 1024)
      case .high1: (720, 1280, .high, 1024)
      case .high2: (720, 1280, .high, 1280)
      case .high3: (720, 1280, .high, 1536)
      }
    let portrait = orientation == .portrait
    return VideoConfiguration(
      profile: profile,
      VideoEncoderSettings(
        width: portrait ? short : long, height: portrait ? long : short, fps: 24, bitrate: kilobits * 1000))
  }
}

/// Named audio qualities: 64, 96 and 128 kbit/s.
public enum AudioPreset: String, Sendable, Hashable, CaseIterable {
  /// The presets in the order of their quality.
  case high1, high2, high3

  /// The bitrate in bits per second: 64,000, 96,000 or 128,000.
  public var bitrate: Int {
    switch self {
    case .high1: 64_000
    case .high2: 96_000
    case .high3: 128_000
    }
  }

  /// Returns Opus settings with this bitrate.
  /// - Parameter channels: 1 or 2.
  public func settings(channels: Int = 2) -> OpusEncoderSettings {
    OpusEncoderSettings(channels: channels, bitrate: bitrate, application: .music)
  }
}
