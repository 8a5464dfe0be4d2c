import RoomClient
import RoomCodecs
import Synchronization

/// What a video source passes to its encoding task, and what it learns from it.
final class VideoControl: Sendable {
  struct State: Sendable {
    var configuration: VideoConfiguration
    var adaptation: VideoAdaptation?
    var studio: (any FrameProcessor)?
    /// The bitrate that the path carries, in bits per second; nil while it is unknown.
    var available: Int?
    var wantsKeyFrame = false
    var quality: VideoQuality
    var statistics = VideoSource.Statistics()
  }

  let state: Mutex<State>
  let changes = Broadcaster<VideoQuality>()

  init(_ configuration: VideoConfiguration, _ adaptation: VideoAdaptation?, _ studio: (any FrameProcessor)?) {
    let settings = configuration.settings
    state = Mutex(
      State(
        configuration: configuration, adaptation: adaptation, studio: studio,
        quality: VideoQuality(width: settings.width, height: settings.height, fps: settings.fps)))
  }

  deinit { changes.finish() }

  /// The lowest bitrate in bits per second with which there is a video.
  var minimum: Int {
    state.withLock { state in
      state.adaptation.map { QualityLadder(state.configuration.settings, $0).minimum } ?? 0
    }
  }

  /// Returns the picture to encode in place of one that the app pushed.
  func processed(_ frame: VideoFrame) -> VideoFrame { state.withLock { $0.studio }?.process(frame) ?? frame }

  func requestKeyFrame() { state.withLock { $0.wantsKeyFrame = true } }
  func setAvailable(_ bitsPerSecond: Int) { state.withLock { $0.available = bitsPerSecond } }

  func setEncoder(_ kind: EncoderKind) { state.withLock { $0.statistics.encoder = kind } }

  func setQuality(_ quality: VideoQuality) {
    let isNew = state.withLock { state in
      defer { state.quality = quality }
      return state.quality != quality
    }
    if isNew { changes.send(quality) }
  }
}
