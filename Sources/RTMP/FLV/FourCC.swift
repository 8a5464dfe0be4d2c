/// A four-character codec code (Enhanced RTMP, "Defining Additional Video Codecs" and "… Audio Codecs").
public struct FourCC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The four bytes, the first character in the highest.
  public var rawValue: UInt32

  /// Creates the code from these four bytes.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates the code from the first four characters. Missing ones become spaces.
  public init(_ text: String) {
    let bytes = Array(text.utf8.prefix(4)) + [UInt8](repeating: 0x20, count: max(0, 4 - text.utf8.count))
    rawValue = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  public var description: String {
    String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) }, as: UTF8.self)
  }

  /// H.264.
  public static let avc = Self("avc1")
  /// H.265.
  public static let hevc = Self("hvc1")
  /// H.266.
  public static let vvc = Self("vvc1")
  public static let vp8 = Self("vp08")
  public static let vp9 = Self("vp09")
  public static let av1 = Self("av01")

  public static let aac = Self("mp4a")
  public static let opus = Self("Opus")
  public static let flac = Self("fLaC")
  public static let mp3 = Self(".mp3")
  public static let ac3 = Self("ac-3")
  public static let eac3 = Self("ec-3")
}

/// How several tracks share a message (Enhanced RTMP v2, AvMultitrackType).
public enum Multitrack: UInt8, Sendable {
  /// One track with its own id.
  case oneTrack = 0
  /// Several tracks of one codec.
  case manyTracks = 1
  /// Several tracks, each with its own codec.
  case manyTracksManyCodecs = 2
}
