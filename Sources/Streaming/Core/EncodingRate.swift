import RoomCodecs
import RoomPush

/// What the video is encoded at.
struct EncodingRate: Sendable, Hashable {
  /// Bits per second.
  var bitrate: Int
  /// The most frames per second.
  var fps: Int

  /// Returns an encoder's settings at this rate. Key frames keep their distance in time.
  func applied(to nominal: VideoEncoderSettings) -> VideoEncoderSettings {
    var settings = nominal
    settings.bitrate = min(bitrate, nominal.bitrate)
    settings.fps = min(fps, nominal.fps)
    if nominal.keyFrameInterval > 0 {
      settings.keyFrameInterval = max(1, nominal.keyFrameInterval * settings.fps / nominal.fps)
    }
    return settings
  }
}

/// The steps of bitrate and frame rate on a slow network, each with its own switch.
struct RateSteps: Sendable {
  private var steps: UplinkSteps
  private var minBitrate: Int?
  private var isDynamic: Bool

  init(bitrate: Int, fps: Int, _ options: StreamingOptions) {
    minBitrate = options.minBitrate
    isDynamic = options.isFrameRateDynamic
    steps = UplinkSteps(
      bitrate: bitrate, least: options.minBitrate ?? bitrate, fps: fps, leastFPS: options.isFrameRateDynamic ? nil : fps)
  }

  /// Without adaptation of the bitrate, fewer frames need fewer bits. With it, ``StreamingOptions/minBitrate`` is the limit.
  var rate: EncodingRate {
    EncodingRate(
      bitrate: minBitrate == nil ? steps.bitrate * steps.fps / max(1, steps.wantedFPS) : steps.bitrate, fps: steps.fps)
  }

  /// Changes the target and the switches. Steps down that were made remain, where the switches allow them.
  mutating func change(bitrate: Int, fps: Int, _ options: StreamingOptions) {
    minBitrate = options.minBitrate
    isDynamic = options.isFrameRateDynamic
    steps.change(bitrate: bitrate, least: minBitrate ?? bitrate, fps: fps, leastFPS: isDynamic ? nil : fps)
  }

  /// Reports the connection's state; called once a second.
  mutating func update(queued: Int, dropped: UInt64) { steps.uplinkReported(queued: queued, dropped: dropped) }
}
