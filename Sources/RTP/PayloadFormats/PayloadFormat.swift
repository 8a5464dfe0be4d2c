/// The supported payload formats.
public enum PayloadFormat: UInt8, Sendable, Hashable, CaseIterable {
  case opus, vp8, h264, vp9, av1

  /// Creates the format with this encoding name (`a=rtpmap`), case-insensitively. Returns nil if the name is unknown.
  public init?(name: String) {
    switch name.lowercased() {
    case "opus": self = .opus
    case "vp8": self = .vp8
    case "h264": self = .h264
    case "vp9": self = .vp9
    case "av1": self = .av1
    default: return nil
    }
  }

  /// Whether this is a video format.
  @inlinable public var isVideo: Bool { self != .opus }

  /// Returns whether `payload` is the start of a frame that a decoder can start with. For H.264 this is an SPS or the first
  /// slice of an IDR picture, also within STAP-A and at the start of an FU-A. Every Opus packet qualifies.
  public func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .opus: !payload.isEmpty
    case .vp8: VP8Descriptor.startsKeyFrame(payload)
    case .h264: H264.startsKeyFrame(payload)
    case .vp9: VP9.startsKeyFrame(payload)
    case .av1: AV1.startsKeyFrame(payload)
    }
  }
}
