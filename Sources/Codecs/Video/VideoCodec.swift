public import RTP

/// A compressed picture.
public struct EncodedPicture: Sendable, Equatable {
  /// H.264: one access unit in Annex B form; VP8: one frame.
  public var data: [UInt8]
  /// The source frame's time.
  public var timestamp: MediaTime
  /// Decodable without any earlier picture.
  public var isKeyFrame: Bool

  /// A picture as an encoder gives it.
  public init(data: [UInt8], timestamp: MediaTime, isKeyFrame: Bool) {
    self.data = data
    self.timestamp = timestamp
    self.isKeyFrame = isKeyFrame
  }
}

/// What a video encoder is asked for. All of it can be changed while encoding.
public struct VideoEncoderSettings: Sendable, Hashable {
  /// Pixels, 2…``VideoFrame/maximumSide``, even.
  public var width: Int
  /// Pixels, 2…``VideoFrame/maximumSide``, even.
  public var height: Int
  /// Frames per second that the source delivers, 1…240: rate control shares the bits out by it.
  public var fps: Int
  /// Target in bits per second, 10 000…100 000 000.
  public var bitrate: Int
  /// Frames from one key frame to the next at most; 0 means only on request.
  public var keyFrameInterval: Int

  /// - Parameter keyFrameInterval: 3 × fps if nil.
  public init(width: Int, height: Int, fps: Int, bitrate: Int, keyFrameInterval: Int? = nil) {
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
    self.keyFrameInterval = keyFrameInterval ?? 3 &* fps
  }

  func check() throws(CodecError) {
    guard width >= 2, height >= 2, VideoFrame.isSupported(width: width, height: height) else {
      throw .unsupportedSize(width: width, height: height)
    }
    guard width % 2 == 0, height % 2 == 0 else {
      throw .invalidSetting("width and height must be even, not \(width)x\(height)")
    }
    guard (1...240).contains(fps) else { throw .invalidSetting("fps must be 1…240, not \(fps)") }
    guard (10_000...100_000_000).contains(bitrate) else {
      throw .invalidSetting("bitrate must be 10 000…100 000 000 bit/s, not \(bitrate)")
    }
    guard (0...100_000).contains(keyFrameInterval) else {
      throw .invalidSetting("keyFrameInterval must be 0…100 000 frames, not \(keyFrameInterval)")
    }
  }
}

/// Compresses pictures one by one, with no delay: each call returns its own picture. One owner at a time.
public protocol VideoEncoder: AnyObject {
  /// As last set.
  var settings: VideoEncoderSettings { get }

  /// Compresses one picture; one of another size is scaled to the settings' size.
  /// - Parameter forceKeyFrame: the result shall be a key frame.
  /// - Returns: nil if the encoder chose to drop the picture.
  func encode(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> EncodedPicture?

  /// Takes new settings from the next picture on. Rate, fps and interval change within the stream; a new size starts with a
  /// key frame.
  func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError)
}

/// Decompresses pictures one by one. Follows size changes; survives any input. One owner at a time.
public protocol VideoDecoder: AnyObject {
  /// Decompresses one access unit.
  /// - Returns: nil if it holds no picture that can be shown.
  /// - Throws: ``CodecError/corrupt(codec:reason:)``: a key frame is needed; the decoder stays usable.
  func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame?
}

/// Counts pictures to the next key frame and keeps timestamps rising, which rate control relies on.
struct EncodingClock {
  private var sinceKeyFrame = 0
  private var last: Int64 = .min
  private var needsKeyFrame = true

  /// The time to encode a frame with, in microseconds, and whether a key frame is due.
  mutating func advance(to time: MediaTime, interval: Int, forced: Bool) -> (time: Int64, keyFrame: Bool) {
    // Half the range is far beyond any clock and leaves room for the encoders' own arithmetic.
    let wanted = min(max(time.microseconds, -(1 << 52)), 1 << 52)
    last = max(wanted, last &+ 1)
    let due = forced || needsKeyFrame || (interval > 0 && sinceKeyFrame >= interval)
    return (last, due)
  }

  mutating func encoded(isKeyFrame: Bool) {
    if isKeyFrame { needsKeyFrame = false }
    sinceKeyFrame = isKeyFrame ? 1 : sinceKeyFrame + 1
  }

  mutating func restart() { needsKeyFrame = true }
}
