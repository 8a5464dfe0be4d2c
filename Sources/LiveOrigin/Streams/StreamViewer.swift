import RoomRTMP

/// A viewer of a stream: a position among the messages kept by the hub. Must be used on one thread or event loop. The hub
/// counts the viewer until it is released.
public final class StreamViewer {
  /// The options of a viewer.
  public struct Options: Sendable {
    public var wantsAudio: Bool
    public var wantsVideo: Bool
    /// The lag in ms above which the viewer loses video; nil for the stream's default.
    public var lag: Int64?
    /// Whether to start at the oldest key frame kept instead of the newest, or without pictures with the sound of ``StreamHub/Limits/past``.
    public var wantsPast: Bool

    /// Creates options. The default is all kinds of media, starting at the last key frame.
    public init(wantsAudio: Bool = true, wantsVideo: Bool = true, lag: Int64? = nil, wantsPast: Bool = false) {
      self.wantsAudio = wantsAudio
      self.wantsVideo = wantsVideo
      self.lag = lag
      self.wantsPast = wantsPast
    }

    func wants(_ kind: MediaMessage.Kind) -> Bool {
      switch kind {
      case .audio: wantsAudio
      case .video: wantsVideo
      case .data: true
      }
    }
  }

  /// Counters since the viewer joined.
  public struct Counters: Sendable, Hashable {
    /// Messages and bytes returned to the viewer.
    public var messages = 0
    public var bytes = 0
    /// Video frames dropped because of lag, or before a key frame.
    public var droppedFrames = 0
    /// How often the viewer started to lose video because of lag.
    public var thinnings = 0
    /// How often the viewer lost audio too because of lag.
    public var overruns = 0
    /// Messages removed before the viewer could read them.
    public var missed = 0
  }

  /// The result of reading from a stream.
  public enum Next: Sendable {
    /// A message to send.
    case media(LiveMedia)
    /// The viewer is up to date; more may follow.
    case nothing
    /// The viewer is up to date and the stream has ended.
    case end
  }

  struct Position {
    var next: Int
    var awaitsKeyFrame: Bool
    /// The initial lag in ms.
    var allowance: Int64 = 0
    /// The headers the viewer has: a complete set, and individual versions.
    var headers: StreamHeaders?
    var sentHeaders: [Int] = []
    var counters = Counters()
  }

  let hub: StreamHub
  var position: Position

  /// The options; may change at any time. Video that is enabled again starts at a key frame.
  public var options: Options {
    didSet {
      if options.wantsVideo, !oldValue.wantsVideo { position.awaitsKeyFrame = true }
      if options.wantsVideo != oldValue.wantsVideo || options.wantsAudio != oldValue.wantsAudio { position.headers = nil }
    }
  }

  init(hub: StreamHub, options: Options, position: Position) {
    self.hub = hub
    self.options = options
    self.position = position
  }

  deinit { hub.leave() }

  /// The current counters.
  public var counters: Counters { position.counters }

  /// Returns the next message. Call it only when the socket is writable: messages that are not read may be dropped.
  public func next() -> Next {
    let next = hub.next(for: options, at: &position)
    if case .media(let media) = next {
      position.counters.messages &+= 1
      position.counters.bytes &+= media.media.payload.count
    }
    return next
  }

  /// Skips everything up to now, after a pause. Continues with the next key frame and audio from here on.
  public func skipToNewest() { hub.skip(&position) }
}
