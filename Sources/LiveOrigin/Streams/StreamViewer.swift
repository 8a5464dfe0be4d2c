import RTMP

/// One who watches a stream: a place among what the hub keeps. Belongs to one thread, or one event loop; the hub counts it
/// until it is let go.
public final class StreamViewer {
  /// What a viewer wants.
  public struct Options: Sendable {
    public var wantsAudio: Bool
    public var wantsVideo: Bool
    /// Milliseconds by which it may be late before it loses video; nil for the stream's own.
    public var lag: Int64?
    /// Whether it begins with all that is kept, at the oldest key frame, and not with what is newest.
    public var wantsPast: Bool

    /// The default is all kinds, from the last key frame on.
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

  /// What became of the viewer so far.
  public struct Counters: Sendable, Hashable {
    /// Messages and bytes that it was given.
    public var messages = 0
    public var bytes = 0
    /// Video frames that it lost by being late, or by coming before a key frame.
    public var droppedFrames = 0
    /// How often it was so late that it began to lose video.
    public var thinnings = 0
    /// How often it was so late that it lost sound too.
    public var overruns = 0
    /// Messages that were forgotten before it could take them.
    public var missed = 0
  }

  /// What there is for a viewer.
  public enum Next: Sendable {
    /// To be sent.
    case media(LiveMedia)
    /// It has all; more may come.
    case nothing
    /// It has all, and the stream is over.
    case end
  }

  struct Place {
    var next: Int
    var awaitsKeyFrame: Bool
    /// Milliseconds of lateness that it began with.
    var allowance: Int64 = 0
    /// The headers that it has, wholly and one by one.
    var headers: StreamHeaders?
    var sentHeaders: [Int] = []
    var counters = Counters()
  }

  let hub: StreamHub
  var place: Place

  /// What it wants; may change at any time. Video that is wanted again begins at a key frame.
  public var options: Options {
    didSet {
      if options.wantsVideo, !oldValue.wantsVideo { place.awaitsKeyFrame = true }
      if options.wantsVideo != oldValue.wantsVideo || options.wantsAudio != oldValue.wantsAudio { place.headers = nil }
    }
  }

  init(hub: StreamHub, options: Options, place: Place) {
    self.hub = hub
    self.options = options
    self.place = place
  }

  deinit { hub.leave() }

  /// What became of it so far.
  public var counters: Counters { place.counters }

  /// The next message. To be asked for only when the socket has room for it: what is not asked for may be left out.
  public func next() -> Next {
    let next = hub.next(for: options, at: &place)
    if case .media(let media) = next {
      place.counters.messages &+= 1
      place.counters.bytes &+= media.media.payload.count
    }
    return next
  }

  /// Leaves out everything up to now, after a pause: goes on with the next key frame and the sound from here on.
  public func skipToNewest() { hub.skip(&place) }
}
