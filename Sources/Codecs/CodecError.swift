/// The error of a codec, a conversion or a media file.
public enum CodecError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The width or height is outside 1…``VideoFrame/maximumSide``, or the picture has more than ``VideoFrame/maximumPixels``.
  case unsupportedSize(width: Int, height: Int)
  /// A buffer is smaller than its described content.
  case shortBuffer(needed: Int, got: Int)
  /// A setting is out of range; the text names it.
  case invalidSetting(String)
  /// The library cannot open the codec.
  case unavailable(codec: String, reason: String)
  /// The encoder rejected a frame.
  case encodingFailed(codec: String, reason: String)
  /// The input is corrupt or depends on a missing frame; a key frame recovers from this.
  case corrupt(codec: String, reason: String)
  /// The format of a picture cannot be converted to I420.
  case unsupportedPixelFormat(String)
  /// A media file cannot be opened or read.
  case file(path: String, reason: String)

  /// A message for people.
  public var description: String {
    switch self {
    case .unsupportedSize(let width, let height):
      "a picture of \(width)x\(height) is not supported (sides 1…\(VideoFrame.maximumSide), \(VideoFrame.maximumPixels) pixels)"
    case .shortBuffer(let needed, let got): "the buffer has \(got) bytes, but \(needed) are needed"
    case .invalidSetting(let text): text
    case .unavailable(let codec, let reason): "\(codec) could not be opened: \(reason)"
    case .encodingFailed(let codec, let reason): "\(codec) could not encode: \(reason)"
    case .corrupt(let codec, let reason): "corrupt \(codec) input: \(reason)"
    case .unsupportedPixelFormat(let name): "pixel format \(name) is not supported"
    case .file(let path, let reason): "\(path): \(reason)"
    }
  }
}
