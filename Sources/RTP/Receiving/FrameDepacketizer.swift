/// The depacketizer of whichever video format a stream has.
enum FrameDepacketizer: Sendable {
  case vp8(VP8Depacketizer)
  case h264(H264Depacketizer)

  /// Nil for formats that are not read here.
  init?(_ format: PayloadFormat) {
    switch format {
    case .vp8: self = .vp8(VP8Depacketizer())
    case .h264: self = .h264(H264Depacketizer())
    case .opus, .vp9, .av1: return nil
    }
  }

  /// Adds the next payload of a frame; false where the frame is broken.
  mutating func append(_ payload: [UInt8]) -> Bool {
    switch self {
    case .vp8(var depacketizer):
      let taken = payload.withUnsafeBytes { depacketizer.append($0) }
      self = .vp8(depacketizer)
      return taken
    case .h264(var depacketizer):
      let taken = payload.withUnsafeBytes { depacketizer.append($0) }
      self = .h264(depacketizer)
      return taken
    }
  }

  /// The frame, and ready for the next.
  mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    switch self {
    case .vp8(var depacketizer):
      defer { self = .vp8(depacketizer) }
      return depacketizer.take()
    case .h264(var depacketizer):
      defer { self = .h264(depacketizer) }
      return depacketizer.take()
    }
  }
}
