/// The effort of the H.264 encoder of a mix: faster presets cost less CPU, slower ones compress better.
public struct EncoderPreset: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The least CPU.
  public static let ultrafast = Self(rawValue: "ultrafast")
  /// The default.
  public static let superfast = Self(rawValue: "superfast")
  /// More effort than `superfast`.
  public static let veryfast = Self(rawValue: "veryfast")
  /// More effort than `veryfast`.
  public static let faster = Self(rawValue: "faster")
  /// More effort than `faster`.
  public static let fast = Self(rawValue: "fast")
  /// The most CPU.
  public static let medium = Self(rawValue: "medium")

  /// The presets that a server accepts, the fastest first.
  public static let all: [Self] = [.ultrafast, .superfast, .veryfast, .faster, .fast, .medium]
}

/// How a picture fits its frame in a mix.
public struct LayoutFillMode: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Fills the frame and crops what extends beyond it.
  public static let fill = Self(rawValue: "fill")
  /// Shows the whole picture, with bars if the aspect ratios differ.
  public static let fit = Self(rawValue: "fit")
  /// Fills the frame without keeping the aspect ratio.
  public static let stretch = Self(rawValue: "stretch")

  /// The modes that a server accepts.
  public static let all: [Self] = [.fill, .fit, .stretch]
}
