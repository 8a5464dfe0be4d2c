/// The depacketizer for the stream's video format.
enum FrameDepacketizer: Sendable {
  case vp8(VP8Depacketizer)
  case h264(H264Depacketizer)
  case vp9(VP9Depacketizer)
  case av1(AV1Depacketizer)

  /// Creates a depacketizer. Returns nil for audio, whose packets are complete frames.
  init?(_ format: PayloadFormat) {
    switch format {
    case .vp8: self = .vp8(VP8Depacketizer())
    case .h264: self = .h264(H264Depacketizer())
    case .vp9: self = .vp9(VP9Depacketizer())
    case .av1: self = .av1(AV1Depacketizer())
    case .opus: return nil
    }
  }

  /// Appends the next payload of a frame. Returns false if the frame is broken.
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
    case .vp9(var depacketizer):
      let taken = payload.withUnsafeBytes { depacketizer.append($0) }
      self = .vp9(depacketizer)
      return taken
    case .av1(var depacketizer):
      let taken = payload.withUnsafeBytes { depacketizer.append($0) }
      self = .av1(depacketizer)
      return taken
    }
  }

  /// Returns the frame and resets the depacketizer.
  mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    switch self {
    case .vp8(var depacketizer):
      defer { self = .vp8(depacketizer) }
      return depacketizer.take()
    case .h264(var depacketizer):
      defer { self = .h264(depacketizer) }
      return depacketizer.take()
    case .vp9(var depacketizer):
      defer { self = .vp9(depacketizer) }
      return depacketizer.take()
    case .av1(var depacketizer):
      defer { self = .av1(depacketizer) }
      return depacketizer.take()
    }
  }
}
