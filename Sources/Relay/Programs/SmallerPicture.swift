import RoomCodecs
import RoomRTP

/// Encodes a mix's picture at half its width and height, for a receiver with a thin network. Not thread-safe.
final class SmallerPicture {
  /// Whether the next picture must be a key frame.
  var wantsKeyFrame = true
  private let picture: MixPicture
  private let take: (Instant, EncodedPicture) -> Void
  private var encoder: H264Encoder?

  /// - Parameters:
  ///   - picture: The settings of the smaller picture; its frame rate and bitrate follow those of the mix.
  ///   - take: Receives the pictures.
  init(_ picture: MixPicture, _ take: @escaping (Instant, EncodedPicture) -> Void) {
    self.picture = picture
    self.take = take
  }

  /// Encodes a composed picture.
  /// - Parameter mix: The encoder settings of the whole picture now.
  func encode(_ whole: VideoFrame, _ mix: VideoEncoderSettings, now: Instant) throws(CodecError) {
    let settings = VideoEncoderSettings(
      width: picture.width, height: picture.height, fps: mix.fps, bitrate: MixPicture.smallerBitrate(of: mix.bitrate),
      keyFrameInterval: mix.keyFrameInterval)
    if let encoder {
      if encoder.settings != settings { try encoder.reconfigure(settings) }
    } else {
      encoder = try H264Encoder(settings, profile: picture.profile, speed: picture.speed)
    }
    let frame = try whole.scaled(width: picture.width, height: picture.height)
    guard let encoded = try encoder?.encode(frame, forceKeyFrame: wantsKeyFrame) else { return }
    wantsKeyFrame = false
    take(now, encoded)
  }
}
