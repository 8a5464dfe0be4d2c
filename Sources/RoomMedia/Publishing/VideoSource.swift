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
/// Encoding runs in a task. The task makes a key frame when a receiver requests one. By default it never exceeds the bitrate
/// that the path to the server carries: see ``adaptation``. A source that is released stops.
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
    /// What encodes the pictures: with ``VideoConfiguration/hardware``, a device or its replacement, with the reason.
    public var encoder = EncoderKind.software
  }

  /// The number of pictures that may wait for the encoder. Beyond it the oldest are dropped.
  public static let backlog = 2
  /// The shortest interval between requested key frames.
  static let keyFrameSpacing = Duration.milliseconds(200)

  /// The track to publish.
  public let track: LocalVideoTrack
  private let control: VideoControl
  let queue = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// Creates a source.
  /// - Parameters:
  ///   - configuration: how the pictures are encoded.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main video track.
  ///   - adaptation: the initial ``adaptation``.
  ///   - studio: the initial ``studio``.
  /// - Throws: ``VideoLimitError``, or `CodecError` for settings that the encoder rejects.
  public init(
    _ configuration: VideoConfiguration, tag: String = "camera", isMain: Bool = true,
    adaptation: VideoAdaptation? = VideoAdaptation(), studio: (any FrameProcessor)? = nil
  ) throws {
    try configuration.check()
    let settings = configuration.settings
    let track = LocalVideoTrack(
      codec: configuration.codec, tag: tag, isMain: isMain, width: settings.width, height: settings.height,
      fps: settings.fps, bitrate: settings.bitrate, profile: configuration.announcedProfile)
    let encoding = try VideoEncoding(configuration)
    let control = VideoControl(configuration, adaptation, studio)
    control.setEncoder(encoding.kind)
    track.feed.setMinimum(control.minimum)
    self.track = track
    self.control = control
    // Subscribed here and not in the tasks, so that no request from now on is missed.
    let (frames, requests, targets) = (queue.frames, track.keyFrameRequests, track.targetBitrate)
    queue.run { await encoding.run(frames, control, track) }
    queue.run { for await _ in requests { control.requestKeyFrame() } }
    queue.run { for await target in targets { control.setAvailable(target) } }
  }

  deinit { queue.end() }

  /// The current configuration.
  public var configuration: VideoConfiguration { control.state.withLock { $0.configuration } }

  /// What the source gives up when the path to the server carries less than the configured bitrate; nil sends the configured
  /// bitrate regardless, so that the network loses what it cannot carry. A change applies from the next picture on.
  public var adaptation: VideoAdaptation? {
    get { control.state.withLock { $0.adaptation } }
    set {
      control.state.withLock { $0.adaptation = newValue }
      track.feed.setMinimum(control.minimum)
    }
  }

  /// What changes each picture before it is encoded, such as a `PictureStudio`; nil for nothing. A change applies from the next
  /// picture on.
  ///
  /// Every picture that the encoder takes from the queue goes through it, also while the track is muted or paused, so that a
  /// preview continues.
  public var studio: (any FrameProcessor)? {
    get { control.state.withLock { $0.studio } }
    set { control.state.withLock { $0.studio = newValue } }
  }

  /// What the source sends now.
  public var quality: VideoQuality { control.state.withLock { $0.quality } }

  /// Yields each change of ``quality``, such as a pause for lack of bandwidth, and its end. Each access returns a new stream,
  /// which starts with the current quality.
  public var qualities: AsyncStream<VideoQuality> { control.changes.stream(backlog: 8, first: quality) }

  /// The counters of a source since its start.
  public var statistics: Statistics {
    var statistics = control.state.withLock { $0.statistics }
    statistics.dropped = queue.dropped
    return statistics
  }

  /// Adds the next picture, of any size: it is scaled to the configured one. The picture's timestamp must be larger than the
  /// previous one.
  ///
  /// Returns at once; encoding runs in a task. Video and audio sources need no common clock: receivers align their tracks by
  /// the time of sending.
  /// - Returns: false if a frame was dropped: the oldest one that waited, because the encoder is busy, or this one, because the
  ///   source has stopped. A producer that can slow down may use it; ``Statistics/dropped`` counts the former.
  @discardableResult public func push(_ frame: VideoFrame) -> Bool { queue.push(frame) }

  /// Applies a new configuration from the next picture on, without an interruption.
  /// - Throws: ``VideoLimitError``, or `CodecError.invalidSetting` for another codec or settings out of range. The old
  ///   configuration remains.
  public func reconfigure(_ configuration: VideoConfiguration) throws {
    try configuration.check()
    guard configuration.codec == track.codec else {
      throw CodecError.invalidSetting("the codec of a live track cannot change from \(track.codec) to \(configuration.codec)")
    }
    // This encoder only validates the settings.
    let old = self.configuration
    if configuration.settings != old.settings || configuration.hardware != old.hardware { _ = try configuration.makeEncoder() }
    control.state.withLock { $0.configuration = configuration }
    track.feed.setMinimum(control.minimum)
  }

  /// Makes the next picture a key frame.
  public func requestKeyFrame() { control.requestKeyFrame() }

  /// Stops encoding. Pictures pushed later are ignored.
  public func stop() { queue.end() }
}
