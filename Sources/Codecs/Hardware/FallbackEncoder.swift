/// Encodes on a device, and in software if the device cannot be opened, and from the first picture that it rejects. The software's
/// stream starts with a key frame.
public final class FallbackEncoder: VideoEncoder {
  /// Opens an encoder.
  public typealias Factory = (VideoEncoderSettings) throws(CodecError) -> any VideoEncoder

  /// What encodes the pictures now.
  public private(set) var kind: EncoderKind
  private var encoder: any VideoEncoder
  private let software: Factory
  private var isFallback = false

  /// - Parameters:
  ///   - hardware: Opens the device's encoder.
  ///   - software: Opens the encoder that replaces it.
  /// - Throws: the errors of `software`.
  public init(_ settings: VideoEncoderSettings, hardware: Factory, software: @escaping Factory) throws(CodecError) {
    self.software = software
    do throws(CodecError) {
      encoder = try hardware(settings)
      kind = encoder.kind
    } catch {
      encoder = try software(settings)
      kind = .fallback(reason: error.description)
      isFallback = true
    }
  }

  /// The current settings.
  public var settings: VideoEncoderSettings { encoder.settings }

  /// Encodes one picture.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedPicture? {
    do throws(CodecError) {
      return try encoder.encode(frame, forceKeyFrame: forceKeyFrame)
    } catch {
      try replace(encoder.settings, after: error)
      return try encoder.encode(frame, forceKeyFrame: true)
    }
  }

  /// Changes the settings. A device that rejects valid ones is replaced.
  public func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    do throws(CodecError) {
      try encoder.reconfigure(settings)
    } catch {
      try replace(settings, after: error)
    }
  }

  /// - Throws: `error` if the software itself failed.
  private func replace(_ settings: VideoEncoderSettings, after error: CodecError) throws(CodecError) {
    guard !isFallback else { throw error }
    encoder = try software(settings)
    kind = .fallback(reason: error.description)
    isFallback = true
  }
}
