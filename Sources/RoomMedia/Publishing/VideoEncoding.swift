import RoomClient
import RoomCodecs
import RoomRTP

/// The encoding task of a video source: its encoder, and the quality that the path allows.
actor VideoEncoding {
  private var encoder: any VideoEncoder
  private var configuration: VideoConfiguration
  private var adaptation: VideoAdaptation?
  /// Nil without adaptation.
  private var ladder: QualityLadder?
  private var thinning = FrameThinning()
  private var isPaused = false
  private var lastKeyFrame: ContinuousClock.Instant?
  private let began = ContinuousClock.now
  /// What encodes the first picture.
  nonisolated let kind: EncoderKind

  init(_ configuration: VideoConfiguration) throws(CodecError) {
    self.configuration = configuration
    encoder = try configuration.makeEncoder()
    kind = encoder.kind
  }

  func run(_ frames: AsyncStream<VideoFrame>, _ control: VideoControl, _ track: LocalVideoTrack) async {
    for await pushed in frames {
      let frame = control.processed(pushed)
      guard !track.isMuted else { continue }
      do throws(CodecError) {
        try follow(control)
        guard !isPaused, encoder.settings.fps >= configuration.settings.fps || thins(frame) else { continue }
        guard let picture = try encoder.encode(frame, forceKeyFrame: takeKeyFrameRequest(control)) else { continue }
        if picture.isKeyFrame { lastKeyFrame = .now }
        let isSent = track.send(
          EncodedFrame(
            data: picture.data, timestamp: picture.timestamp.rtpTimestamp(rate: 90_000), isKeyFrame: picture.isKeyFrame,
            temporalLayer: picture.temporalLayer))
        control.state.withLock { [kind = encoder.kind] state in
          state.statistics.encoder = kind
          state.statistics.encoded += 1
          state.statistics.keyFrames += picture.isKeyFrame ? 1 : 0
          // Any key frame satisfies the earlier requests.
          if picture.isKeyFrame { state.wantsKeyFrame = false }
          state.statistics.sent += isSent ? 1 : 0
          state.statistics.sentBytes += isSent ? UInt64(picture.data.count) : 0
        }
      } catch {
        control.state.withLock { $0.statistics.failed += 1 }
      }
    }
  }

  private func thins(_ frame: VideoFrame) -> Bool { thinning.takes(frame.timestamp, fps: encoder.settings.fps) }

  /// Applies the changes since the last picture: the app's, and those of the path.
  private func follow(_ control: VideoControl) throws(CodecError) {
    let (wanted, adaptation, available) = control.state.withLock { ($0.configuration, $0.adaptation, $0.available) }
    if wanted.profile != configuration.profile || wanted.speed != configuration.speed
      || wanted.hardware != configuration.hardware
    {
      encoder = try wanted.makeEncoder()
    }
    if wanted.settings != configuration.settings || adaptation != self.adaptation || (ladder == nil) != (adaptation == nil) {
      ladder = adaptation.map { QualityLadder(wanted.settings, $0, available: available) }
    }
    configuration = wanted
    self.adaptation = adaptation
    var settings = wanted.settings
    if let available { ladder?.update(available: available, now: Instant(ContinuousClock.now, since: began)) }
    if let ladder, let available { settings = ladder.settings(available: available) }
    let quality = ladder?.quality ?? VideoQuality(width: settings.width, height: settings.height, fps: settings.fps)
    // After a pause the viewers' decoders begin anew.
    if isPaused, !quality.isPaused { control.requestKeyFrame() }
    isPaused = quality.isPaused
    if !isPaused { try apply(settings, atCeiling: settings.bitrate == wanted.settings.bitrate) }
    control.state.withLock { [bitrate = isPaused ? 0 : encoder.settings.bitrate] in $0.statistics.bitrate = bitrate }
    control.setQuality(quality)
  }

  private func apply(_ settings: VideoEncoderSettings, atCeiling: Bool) throws(CodecError) {
    guard settings != encoder.settings else { return }
    let isOnlyRate = VideoEncoderSettings(settings, bitrate: 0) == VideoEncoderSettings(encoder.settings, bitrate: 0)
    // Small changes are ignored, because each step restarts the encoder's rate control.
    let isSmall = abs(settings.bitrate - encoder.settings.bitrate) * 20 < encoder.settings.bitrate
    if !isOnlyRate || !isSmall || atCeiling { try encoder.reconfigure(settings) }
  }

  private func takeKeyFrameRequest(_ control: VideoControl) -> Bool {
    let isTooSoon = lastKeyFrame.map { ContinuousClock.now - $0 < VideoSource.keyFrameSpacing } ?? false
    return control.state.withLock { state in
      guard state.wantsKeyFrame, !isTooSoon else { return false }
      state.wantsKeyFrame = false
      return true
    }
  }
}

extension VideoEncoderSettings {
  fileprivate init(_ other: Self, bitrate: Int) {
    self = other
    self.bitrate = bitrate
  }
}

extension Instant {
  /// The time since another of the same clock.
  init(_ time: ContinuousClock.Instant, since origin: ContinuousClock.Instant) {
    let (seconds, attoseconds) = (time - origin).components
    self.init(microseconds: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000)
  }
}
