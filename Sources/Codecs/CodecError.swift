/// Why a codec, a conversion or a media file refused.
public enum CodecError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Width or height is outside 1…``VideoFrame/maximumSide``, or the picture holds more than ``VideoFrame/maximumPixels``.
  case unsupportedSize(width: Int, height: Int)
  /// A buffer is shorter than its described content.
  case shortBuffer(needed: Int, got: Int)
  /// A setting is outside its range; the text names it.
  case invalidSetting(String)
  /// The library would not open the codec.
  case unavailable(codec: String, reason: String)
  /// The encoder refused a frame.
  case encodingFailed(codec: String, reason: String)
  /// The input is broken, or needs a frame that is missing: a key frame helps.
  case corrupt(codec: String, reason: String)
  /// A picture arrived in a format that cannot be turned into I420.
  case unsupportedPixelFormat(String)
  /// A media file could not be opened or read.
  case file(path: String, reason: String)

  /// A sentence for people.
  public var description: String {
    switch self {
    case .unsupportedSize(let width, let height):
      "a picture of \(width)x\(height) is not supported (sides 1…\(VideoFrame.maximumSide), \(VideoFrame.maximumPixels) pixels)"
    case .shortBuffer(let needed, let got): "the buffer holds \(got) bytes, \(needed) are needed"
    case .invalidSetting(let text): text
    case .unavailable(let codec, let reason): "\(codec) could not be opened: \(reason)"
    case .encodingFailed(let codec, let reason): "\(codec) could not encode: \(reason)"
    case .corrupt(let codec, let reason): "broken \(codec) input: \(reason)"
    case .unsupportedPixelFormat(let name): "pixel format \(name) is not supported"
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }
}
