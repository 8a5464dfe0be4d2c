import RoomCodecs
import RoomRTP
import RoomClient
import Synchronization

/// Encodes pictures to a ``track`` that a room can publish.
///
/// ```swift
/// let camera = try VideoSource(VideoPreset.medium1.configuration())
/// try await room.publish([camera.track])
/// camera.push(frame)
/// ```
///
/// Encoding runs in a task. It makes a key frame when a receiver requests one, and never exceeds the bitrate that the path to
/// the server carries. A source that is released stops.
public final class VideoSource: Sendable {
  /// The counters of a source since its start.
  public struct Statistics: Sendable, Hashable {
    /// The number of encoded frames.
    public var encoded: UInt64 = 0
    /// The number of key frames among them.
    public var keyFrames: UInt64 = 0
    /// The number of frames that the track's transport accepted; none before it is connected.
    public var sent: UInt64 = 0
    /// The size of the sent frames in bytes.
    public var sentBytes: UInt64 = 0
    /// The number of pictures dropped because the encoder was busy.
    public var dropped: UInt64 = 0
    /// The number of pictures that the encoder rejected.
    public var failed: UInt64 = 0
    /// The encoder's current target bitrate in bits per second.
    public var bitrate = 0
  }

  /// The number of pictures that may wait for the encoder. Beyond it the oldest are dropped.
  public static let backlog = 2
  /// The shortest interval between requested key frames.
  static let keyFrameSpacing = Duration.milliseconds(200)
  /// The lowest bitrate in bits per second. Below it no encoder here produces a usable picture, so the target is not followed
  /// further.
  static let leastBitrate = 30_000

  /// The track to publish.
  public let track: LocalVideoTrack
  private let control: VideoControl
  let queue = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// Creates a source.
  /// - Parameters:
  ///   - configuration: how the pictures are encoded.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main video track.
  /// - Throws: ``VideoLimitError``, or `CodecError` for settings that the encoder rejects.
  public init(_ configuration: VideoConfiguration, tag: String = "camera", isMain: Bool = true) throws {
    try configuration.check()
    let settings = configuration.settings
    let track = LocalVideoTrack(
      codec: configuration.codec, tag: tag, isMain: isMain, width: settings.width, height: settings.height,
      fps: settings.fps, bitrate: settings.bitrate, profile: configuration.announcedProfile)
    let encoding = try VideoEncoding(configuration)
    let control = VideoControl(configuration)
    self.track = track
    self.control = control
    // Subscribed here and not in the tasks, so that no request from now on is missed.
    let (frames, requests, targets) = (queue.frames, track.keyFrameRequests, track.targetBitrate)
    queue.run { await encoding.run(frames, control, track) }
    queue.run { for await _ in requests { control.requestKeyFrame() } }
    queue.run { for await target in targets { control.setTarget(target) } }
  }

  deinit { queue.end() }

  /// The current configuration.
  public var configuration: VideoConfiguration { control.state.withLock { $0.configuration } }
  /// The counters of a source since its start.
  public var statistics: Statistics {
    var statistics = control.state.withLock { $0.statistics }
    statistics.dropped = queue.dropped
    return statistics
  }

  /// Adds the next picture, of any size: it is scaled to the configured one. Its timestamp must be larger than the previous
  /// one.
  ///
  /// Returns at once; encoding runs in a task. Video and audio sources need no common clock: receivers align their tracks by
  /// the time of sending.
  public func push(_ frame: VideoFrame) { queue.push(frame) }

  /// Applies a new configuration from the next picture on, without an interruption.
  /// - Throws: ``VideoLimitError``, or `CodecError.invalidSetting` for another codec or settings out of range. The old
  ///   configuration remains.
  public func reconfigure(_ configuration: VideoConfiguration) throws {
    try configuration.check()
    guard configuration.codec == track.codec else {
      throw CodecError.invalidSetting("the codec of a live track cannot change from \(track.codec) to \(configuration.codec)")
    }
    // This encoder only validates the settings.
    if configuration.settings != self.configuration.settings { _ = try configuration.makeEncoder() }
    control.state.withLock { $0.configuration = configuration }
  }

  /// Makes the next picture a key frame.
  public func requestKeyFrame() { control.requestKeyFrame() }

  /// Stops encoding. Pictures pushed later are ignored.
  public func stop() { queue.end() }
}

/// The configuration and requests for the encoding task, and its counters.
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

/// The encoder and its last configuration.
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

  /// Applies the changes since the last picture.
  private func follow(_ control: VideoControl) throws(CodecError) {
    let (wanted, target) = control.state.withLock { ($0.configuration, $0.target) }
    if wanted.profile != configuration.profile || wanted.speed != configuration.speed {
      encoder = try wanted.makeEncoder()
    }
    configuration = wanted
    var settings = wanted.settings
    if let target { settings.bitrate = min(settings.bitrate, max(target, VideoSource.leastBitrate)) }
    let isOnlyRate = VideoEncoderSettings(settings, bitrate: 0) == VideoEncoderSettings(encoder.settings, bitrate: 0)
    // Small changes are ignored, because each step restarts the encoder's rate control.
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
