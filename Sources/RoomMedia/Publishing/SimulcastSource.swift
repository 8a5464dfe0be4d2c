import RoomClient
import RoomCodecs
import RoomRTP
import Synchronization

/// Encodes pictures in two or three sizes to one ``track`` that a room can publish, so that each receiver gets the size that it
/// shows and that its network carries (simulcast; "big and small stream").
///
/// ```swift
/// let camera = try SimulcastSource(VideoPreset.high1.configuration())
/// try await room.publish([camera.track])
/// camera.push(frame)
/// ```
///
/// Layers that no one receives are neither encoded nor sent. On a weak uplink the largest layer is off first, and finally all
/// are: see ``activeLayers``. A source that is released stops.
public final class SimulcastSource: Sendable {
  /// The track to publish. The track's layers are named "q", "h" and "f", the smallest first; with two layers "q" and "f".
  public let track: LocalVideoTrack
  private let control: SimulcastControl
  let queue = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// Creates a source.
  /// - Parameters:
  ///   - configuration: how the largest layer is encoded. The others have the same codec, profile and speed.
  ///   - smaller: the settings of the one or two smaller layers, the smallest first; nil for one of at most 176x144 pixels at 15
  ///     frames per second. See `VideoEncoderSettings.smallLayer(of:)` and `middleLayer(of:)`.
  ///   - minBitrate: the bitrate in bits per second below which the largest layer is off; nil for 40 % of its configured one.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main video track.
  ///   - studio: the initial ``studio``.
  /// - Throws: ``VideoLimitError``, `CodecError` for settings that the encoder rejects, or `RoomClientError` for another number
  ///   of layers.
  public init(
    _ configuration: VideoConfiguration, smaller: [VideoEncoderSettings]? = nil, minBitrate: Int? = nil,
    tag: String = "camera", isMain: Bool = true, studio: (any FrameProcessor)? = nil
  ) throws {
    try configuration.check()
    let settings = (smaller ?? [.smallLayer(of: configuration.settings)]) + [configuration.settings]
    let rids = settings.count == 3 ? ["q", "h", "f"] : ["q", "f"]
    let encoding = try SimulcastEncoding(configuration, settings, minBitrate: minBitrate)
    let layers = zip(rids, settings).map { rid, settings in
      VideoLayer(
        rid: rid, width: settings.width, height: settings.height, fps: settings.fps, bitrate: settings.bitrate)
    }
    // `zip` omits layers beyond the names.
    guard layers.count == settings.count else {
      throw RoomClientError.negotiationFailed("a simulcast has two or three layers, not \(settings.count)")
    }
    let track = try LocalVideoTrack(
      codec: configuration.codec, tag: tag, isMain: isMain, layers: layers, profile: configuration.announcedProfile)
    let control = SimulcastControl(rids, studio)
    self.track = track
    self.control = control
    track.feed.setMinimum(LayerPlan(settings, minBitrate: minBitrate).minimum)
    // Subscribed here and not in the tasks, so that no request from now on is missed.
    let (frames, requests) = (queue.frames, track.layerKeyFrameRequests)
    let (targets, wanted) = (track.targetBitrate, track.wantedLayers)
    queue.run { await encoding.run(frames, control, track) }
    queue.run { for await rid in requests { control.requestKeyFrame(rid) } }
    queue.run { for await target in targets { control.state.withLock { $0.available = target } } }
    queue.run { for await rids in wanted { control.state.withLock { $0.wanted = rids } } }
  }

  deinit { queue.end() }

  /// What changes each picture before it is encoded, as `VideoSource.studio`; nil for nothing.
  public var studio: (any FrameProcessor)? {
    get { control.state.withLock { $0.studio } }
    set { control.state.withLock { $0.studio = newValue } }
  }

  /// The counters of each layer since the start, the smallest first. Pictures that no encoder took are in all.
  public var statistics: [VideoSource.Statistics] {
    let dropped = queue.dropped
    return control.state.withLock { state in
      state.statistics.map { statistics in
        var statistics = statistics
        statistics.dropped = dropped
        return statistics
      }
    }
  }

  /// The names of the layers that are encoded now, the smallest first; empty if the path carries none.
  public var activeLayers: [String] { control.state.withLock { $0.active } }

  /// Yields each change of ``activeLayers``. Each access returns a new stream, which starts with the current ones.
  public var activeLayerChanges: AsyncStream<[String]> { control.changes.stream(backlog: 8, first: activeLayers) }

  /// Adds the next picture, of any size: it is scaled to each layer. The picture's timestamp must be larger than the previous
  /// one.
  ///
  /// Returns at once; encoding runs in a task.
  /// - Returns: false if a frame was dropped: the oldest one that waited, because the encoder is busy, or this one, because the
  ///   source has stopped. A producer that can slow down may use it; `VideoSource.Statistics.dropped` counts the former.
  @discardableResult public func push(_ frame: VideoFrame) -> Bool { queue.push(frame) }

  /// Makes the next picture of each layer a key frame.
  public func requestKeyFrame() { for rid in control.rids { control.requestKeyFrame(rid) } }

  /// Stops encoding. Pictures pushed later are ignored.
  public func stop() { queue.end() }
}

/// What a simulcast source passes to its encoding task, and what it learns from it.
final class SimulcastControl: Sendable {
  struct State: Sendable {
    /// The bitrate that the path carries, in bits per second; nil while it is unknown.
    var available: Int?
    /// The layers that have receivers.
    var wanted: Set<String>
    var keyFrames: Set<String> = []
    var studio: (any FrameProcessor)?
    var active: [String]
    var statistics: [VideoSource.Statistics]
  }

  /// The names of the layers, the smallest first.
  let rids: [String]
  let state: Mutex<State>
  let changes = Broadcaster<[String]>()

  init(_ rids: [String], _ studio: (any FrameProcessor)?) {
    self.rids = rids
    state = Mutex(
      State(
        wanted: Set(rids), studio: studio, active: rids,
        statistics: Array(repeating: VideoSource.Statistics(), count: rids.count)))
  }

  deinit { changes.finish() }

  /// Returns the picture to encode in place of one that the app pushed.
  func processed(_ frame: VideoFrame) -> VideoFrame { state.withLock { $0.studio }?.process(frame) ?? frame }

  func requestKeyFrame(_ rid: String) { _ = state.withLock { $0.keyFrames.insert(rid) } }

  func setActive(_ rids: [String]) {
    let isNew = state.withLock { state in
      defer { state.active = rids }
      return state.active != rids
    }
    if isNew { changes.send(rids) }
  }
}
