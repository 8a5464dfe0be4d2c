/// A codec's SDP name in lower case.
public struct CodecName: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// H.264 video.
  public static let h264 = Self(rawValue: "h264")
  /// VP8 video.
  public static let vp8 = Self(rawValue: "vp8")
  /// VP9 video.
  public static let vp9 = Self(rawValue: "vp9")
  /// AV1 video.
  public static let av1 = Self(rawValue: "av1")
  /// Opus audio.
  public static let opus = Self(rawValue: "opus")
}
