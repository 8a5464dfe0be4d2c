/// The levels of H.264, lowest first (ITU-T H.264, Table A-1). Level 1b is omitted: it differs from level 1 only in its
/// bitrate.
public enum H264Level: String, Sendable, Hashable, CaseIterable {
  case level10 = "1.0"
  case level11 = "1.1"
  case level12 = "1.2"
  case level13 = "1.3"
  case level20 = "2.0"
  case level21 = "2.1"
  case level22 = "2.2"
  case level30 = "3.0"
  case level31 = "3.1"
  case level32 = "3.2"
  case level40 = "4.0"
  case level41 = "4.1"
  case level42 = "4.2"
  case level50 = "5.0"
  case level51 = "5.1"
  case level52 = "5.2"
  case level60 = "6.0"
  case level61 = "6.1"
  case level62 = "6.2"

  /// Creates the level with this `level_idc`. Returns nil if there is none.
  public init?(idc: UInt8) {
    guard let level = Self.allCases.first(where: { $0.idc == idc }) else { return nil }
    self = level
  }

  /// Returns the lowest level that allows pictures of this size at this rate; 6.2 if none does.
  /// - Parameters:
  ///   - width: pixels.
  ///   - height: pixels.
  ///   - fps: frames per second.
  public static func needed(width: Int, height: Int, fps: Int) -> H264Level {
    let (wide, high) = (macroblocks(width), macroblocks(height))
    let size = wide * high
    let rate = size * min(max(fps, 1), 1000)
    // A side has at most √(8 · MaxFS) macroblocks (§A.3.1).
    let square = max(wide, high) * max(wide, high)
    return allCases.first { level in
      let (maximumRate, maximumSize) = level.limits
      return size <= maximumSize && rate <= maximumRate && square <= 8 * maximumSize
    } ?? .level62
  }

  /// Returns the number of 16-pixel macroblocks along a side.
  private static func macroblocks(_ side: Int) -> Int { (min(max(side, 1), 1 << 20) + 15) / 16 }

  /// `level_idc`: ten times the level.
  public var idc: UInt8 {
    switch self {
    case .level10: 10
    case .level11: 11
    case .level12: 12
    case .level13: 13
    case .level20: 20
    case .level21: 21
    case .level22: 22
    case .level30: 30
    case .level31: 31
    case .level32: 32
    case .level40: 40
    case .level41: 41
    case .level42: 42
    case .level50: 50
    case .level51: 51
    case .level52: 52
    case .level60: 60
    case .level61: 61
    case .level62: 62
    }
  }

  /// MaxMBPS and MaxFS: macroblocks per second and per frame.
  private var limits: (rate: Int, size: Int) {
    switch self {
    case .level10: (1_485, 99)
    case .level11: (3_000, 396)
    case .level12: (6_000, 396)
    case .level13, .level20: (11_880, 396)
    case .level21: (19_800, 792)
    case .level22: (20_250, 1_620)
    case .level30: (40_500, 1_620)
    case .level31: (108_000, 3_600)
    case .level32: (216_000, 5_120)
    case .level40, .level41: (245_760, 8_192)
    case .level42: (522_240, 8_704)
    case .level50: (589_824, 22_080)
    case .level51: (983_040, 36_864)
    case .level52: (2_073_600, 36_864)
    case .level60: (4_177_920, 139_264)
    case .level61: (8_355_840, 139_264)
    case .level62: (16_711_680, 139_264)
    }
  }
}

extension H264Level: Comparable {
  public static func < (a: H264Level, b: H264Level) -> Bool { a.idc < b.idc }
}
