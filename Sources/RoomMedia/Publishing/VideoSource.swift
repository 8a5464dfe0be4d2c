import Codecs
import RTP
import RoomClient
import Synchronization

/// Encodes pictures into a ``track`` that a room can publish.
///
/// ```swift
/// let camera = try VideoSource(VideoPreset.medium1.configuration())
/// try await room.publish([camera.track])
/// camera.push(frame)
/// ```
///
/// Encoding runs beside the caller and gives key frames when a receiver asks, and no more bits than the way to the server takes.
/// A source that is let go stops.
public final class VideoSource: Sendable {
  /// What was done so far.
  public struct Statistics: Sendable, Hashable {
    /// Frames encoded.
    public var encoded: UInt64 = 0
    /// Of these, key frames.
    public var keyFrames: UInt64 = 0
    /// Frames that the track's transport took: none before it is connected.
    public var sent: UInt64 = 0
    /// Bytes of these.
    public var sentBytes: UInt64 = 0
    /// Frames that found the encoder busy with older ones.
    public var dropped: UInt64 = 0
    /// Frames that the encoder refused.
    public var failed: UInt64 = 0
    /// Bits per second that the encoder aims at now.
    public var bitrate = 0
  }

  /// Pictures that wait for the encoder; beyond it the oldest are dropped.
  public static let backlog = 2
  /// Asked for more often, key frames come at this interval.
  static let keyFrameSpacing = Duration.milliseconds(200)
  /// Below this no encoder here gives a picture worth having, so the target is not followed further down.
  static let leastBitrate = 30_000

  /// To be published.
  public let track: LocalVideoTrack
  private let control: VideoControl
  let queue = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// - Throws: ``VideoLimitError``, or `CodecError` for what no encoder takes.
  public init(_ configuration: VideoConfiguration, tag: String = "camera", master: Bool = true) throws {
    try configuration.check()
    let settings = configuration.settings
    let track = LocalVideoTrack(
      codec: configuration.codec, tag: tag, master: master, width: settings.width, height: settings.height,
      fps: settings.fps, bitrate: settings.bitrate, profile: configuration.announcedProfile)
    let encoding = try VideoEncoding(configuration)
    let control = VideoControl(configuration)
    self.track = track
    self.control = control
    // Taken here, not in the tasks: what is asked for from now on is not missed.
    let (frames, requests, targets) = (queue.frames, track.keyFrameRequests, track.targetBitrate)
    queue.run { await encoding.run(frames, control, track) }
    queue.run { for await _ in requests { control.requestKeyFrame() } }
    queue.run { for await target in targets { control.setTarget(target) } }
  }

  deinit { queue.end() }

  /// The latest configuration.
  public var configuration: VideoConfiguration { control.state.withLock { $0.configuration } }
  /// What was done so far.
  public var statistics: Statistics {
    var statistics = control.state.withLock { $0.statistics }
    statistics.dropped = queue.dropped
    return statistics
  }

  /// Hands over the next picture, in any size: it is scaled to the configured one. Its timestamp must rise.
  public func push(_ frame: VideoFrame) { queue.push(frame) }

  /// Takes a new configuration from the next picture on, with no interruption.
  /// - Throws: ``VideoLimitError``, or `CodecError.invalidSetting` for another codec or settings out of range. The old one stays.
  public func reconfigure(_ configuration: VideoConfiguration) throws {
    try configuration.check()
    guard configuration.codec == track.codec else {
      throw CodecError.invalidSetting("the codec of a live track cannot change from \(track.codec) to \(configuration.codec)")
    }
    // An encoder checks its settings; this one only for that.
    if configuration.settings != self.configuration.settings { _ = try configuration.makeEncoder() }
    control.state.withLock { $0.configuration = configuration }
  }

  /// Makes the next picture a key frame.
  public func requestKeyFrame() { control.requestKeyFrame() }

  /// Ends encoding; pictures pushed later are ignored.
  public func stop() { queue.end() }
}

/// What is told to the encoding from outside, and what it reports.
final class VideoControl: Sendable {
  struct State: Sendable {
    var configuration: VideoConfiguration
    var target: Int?
    var wantsKeyFrame = false
    var statistics = VideoSource.Statistics()
  }

  let state: Mutex<State>

  init(_ configuration: VideoConfiguration) { state = Mutex(State(configuration: configuration)) }

  func requestKeyFrame() { state.withLock { $0.wantsKeyFrame = true } }
  func setTarget(_ bitsPerSecond: Int) { state.withLock { $0.target = bitsPerSecond } }
}

/// The encoder and what it was last told.
private actor VideoEncoding {
  private var encoder: any VideoEncoder
  private var configuration: VideoConfiguration
  private var lastKeyFrame: ContinuousClock.Instant?

  init(_ configuration: VideoConfiguration) throws(CodecError) {
    self.configuration = configuration
    encoder = try configuration.makeEncoder()
  }

  func run(_ frames: AsyncStream<VideoFrame>, _ control: VideoControl, _ track: LocalVideoTrack) async {
    for await frame in frames where !track.isMuted {
      do throws(CodecError) {
        try follow(control)
        guard let picture = try encoder.encode(frame, forceKeyFrame: takeKeyFrameRequest(control)) else { continue }
        if picture.isKeyFrame { lastKeyFrame = .now }
        let isSent = track.send(
          EncodedFrame(
            data: picture.data, timestamp: picture.timestamp.rtpTimestamp(rate: 90_000), isKeyFrame: picture.isKeyFrame))
        control.state.withLock { state in
          state.statistics.encoded += 1
          state.statistics.keyFrames += picture.isKeyFrame ? 1 : 0
          // Whoever asked before is served, whatever the key frame was made for.
          if picture.isKeyFrame { state.wantsKeyFrame = false }
          state.statistics.sent += isSent ? 1 : 0
          state.statistics.sentBytes += isSent ? UInt64(picture.data.count) : 0
        }
      } catch {
        control.state.withLock { $0.statistics.failed += 1 }
      }
    }
  }

  /// Takes over what changed since the last picture.
  private func follow(_ control: VideoControl) throws(CodecError) {
    let (wanted, target) = control.state.withLock { ($0.configuration, $0.target) }
    if wanted.profile != configuration.profile || wanted.speed != configuration.speed {
      encoder = try wanted.makeEncoder()
    }
    configuration = wanted
    var settings = wanted.settings
    if let target { settings.bitrate = min(settings.bitrate, max(target, VideoSource.leastBitrate)) }
    let isOnlyRate = VideoEncoderSettings(settings, bitrate: 0) == VideoEncoderSettings(encoder.settings, bitrate: 0)
    // The target trembles; the encoder's rate control would start anew with each step.
    let isSmall = abs(settings.bitrate - encoder.settings.bitrate) * 20 < encoder.settings.bitrate
    let atCeiling = settings.bitrate == wanted.settings.bitrate
    if settings != encoder.settings, !isOnlyRate || !isSmall || atCeiling { try encoder.reconfigure(settings) }
    control.state.withLock { [bitrate = encoder.settings.bitrate] in $0.statistics.bitrate = bitrate }
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
