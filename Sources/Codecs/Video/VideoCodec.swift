public import RoomRTP

/// A compressed picture.
public struct EncodedPicture: Sendable, Equatable {
  /// H.264: one access unit in Annex B format; VP8 and VP9: one frame; AV1: one temporal unit in low-overhead OBU format.
  public var data: [UInt8]
  /// The timestamp of the source frame.
  public var timestamp: MediaTime
  /// Whether the picture is decodable without any earlier one.
  public var isKeyFrame: Bool
  /// The temporal layer of a VP8 frame; nil if the stream has none.
  public var temporalLayer: VP8TemporalLayer?

  /// Creates a compressed picture.
  public init(data: [UInt8], timestamp: MediaTime, isKeyFrame: Bool, temporalLayer: VP8TemporalLayer? = nil) {
    self.data = data
    self.timestamp = timestamp
    self.isKeyFrame = isKeyFrame
    self.temporalLayer = temporalLayer
  }
}

/// The settings of a video encoder. All of them can change while encoding.
public struct VideoEncoderSettings: Sendable, Hashable {
  /// The width in pixels, 2…``VideoFrame/maximumSide``, even.
  public var width: Int
  /// The height in pixels, 2…``VideoFrame/maximumSide``, even.
  public var height: Int
  /// The frame rate of the source in frames per second, 1…240. Rate control distributes the bits accordingly.
  public var fps: Int
  /// The target bitrate in bps, 10 000…100 000 000.
  public var bitrate: Int
  /// The maximum number of frames between key frames; 0 means only on request.
  public var keyFrameInterval: Int
  /// The temporal layers of VP8, 1…3; the other codecs have none. A server can send a half of the frames of two layers, and a half or a
  /// quarter of those of three, to receivers behind thin networks. Layers cost some quality at the same bitrate.
  public var temporalLayers: Int

  /// - Parameters:
  ///   - keyFrameInterval: The maximum number of frames between key frames; nil for 3 × fps.
  ///   - temporalLayers: 1…3.
  public init(
    width: Int, height: Int, fps: Int, bitrate: Int, keyFrameInterval: Int? = nil, temporalLayers: Int = 1
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
    self.keyFrameInterval = keyFrameInterval ?? 3 &* fps
    self.temporalLayers = temporalLayers
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
    guard (1...3).contains(temporalLayers) else {
      throw .invalidSetting("temporalLayers must be 1…3, not \(temporalLayers)")
    }
  }
}

/// Encodes pictures one by one without delay: each call returns its own picture. One owner at a time.
public protocol VideoEncoder: AnyObject {
  /// The current settings.
  var settings: VideoEncoderSettings { get }
  /// What encodes the pictures now.
  var kind: EncoderKind { get }

  /// Encodes one picture, scaled to the size in the settings if necessary.
  /// - Parameter forceKeyFrame: Whether the result must be a key frame.
  /// - Returns: The encoded picture; nil if the encoder drops it.
  func encode(_ frame: VideoFrame, forceKeyFrame: Bool) throws(CodecError) -> EncodedPicture?

  /// Changes the settings from the next picture on. Bitrate, frame rate and interval change within the stream; a new size
  /// starts with a key frame.
  func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError)
}

extension VideoEncoder {
  /// Software, unless the encoder says otherwise.
  public var kind: EncoderKind { .software }
}

/// Decodes pictures one by one. Follows size changes and accepts any input. One owner at a time.
public protocol VideoDecoder: AnyObject {
  /// Decodes one access unit.
  /// - Returns: The picture; nil if there is none to show.
  /// - Throws: ``CodecError/corrupt(codec:reason:)`` if a key frame is needed; the decoder stays usable.
  func decode(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame?
}

/// Counts pictures up to the next key frame and keeps timestamps increasing, which rate control requires.
struct EncodingClock {
  private var sinceKeyFrame = 0
  private var last: Int64 = .min
  private var needsKeyFrame = true

  /// Returns the time to encode a frame with in µs, and whether a key frame is due.
  mutating func advance(to time: MediaTime, interval: Int, forced: Bool) -> (time: Int64, keyFrame: Bool) {
    // 2^52 µs is far beyond any clock and leaves room for the encoders' own arithmetic.
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
