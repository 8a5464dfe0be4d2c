import RoomClient
import RoomCodecs
import RoomRTP
import Synchronization

/// Plays a live stream by URL: over RTMP, RTMPS, or HTTP-FLV.
///
/// ```swift
/// let player = StreamPlayer("https://live.example.org/live/demo.flv")
/// for await picture in player.pictures { screen.show(picture) }
/// ```
///
/// Pictures and sound arrive when they are due, with timestamps on one clock of the player. A lost connection is made again, as
/// ``Options/reconnect`` says. A stream that ends is awaited as long. A player that is released stops.
///
/// H.264, HEVC, AV1, VP8 and VP9 are decoded, AAC and Opus.
public final class StreamPlayer: Sendable {
  /// What a player does. New versions of the library may add cases, so a `switch` should have a `default`.
  public enum State: Sendable, Hashable {
    /// The first connection is made.
    case connecting
    /// Connected, and the buffer is filled: at the start, or because nothing was left to play.
    case buffering
    /// Pictures and sound are delivered.
    case playing
    /// The connection was lost, or the stream ended; `attempt` counts the tries from 1.
    case reconnecting(attempt: Int)
    /// The stream ended and did not return, or ``StreamPlayer/stop()`` was called. Final.
    case ended
    /// The stream cannot be played. Final.
    case failed(StreamFailure)

    /// Whether the state is final.
    public var isFinal: Bool {
      switch self {
      case .ended, .failed: true
      default: false
      }
    }
  }

  /// The options of a player.
  public struct Options: Sendable, Hashable {
    /// The part of the stream that is buffered before it plays, clamped to 0.1…10 s. The buffer hides a network's jitter, and
    /// is the delay that the player adds.
    public var buffer: Duration
    /// The largest part of the stream that waits to be played; at least twice the buffer. If more waits, the player continues
    /// with the newest.
    public var latencyLimit: Duration
    /// The number of tries after a loss and the waits between them.
    public var reconnect: ReconnectPolicy
    /// The certificates that a server with an `rtmps://` or `https://` address may present.
    public var trust: ServerTrust
    /// The number of pictures that the reader may leave unread. Beyond it the oldest are dropped.
    public var pictureBacklog: Int
    /// The number of frames of sound, of about 20 ms, that the reader may leave unread. Beyond it the oldest are dropped.
    public var soundBacklog: Int

    /// Creates options. See the properties for units and ranges.
    public init(
      buffer: Duration = .milliseconds(500), latencyLimit: Duration = .seconds(3), reconnect: ReconnectPolicy = .default,
      trust: ServerTrust = .system, pictureBacklog: Int = 4, soundBacklog: Int = 50
    ) {
      self.buffer = buffer
      self.latencyLimit = latencyLimit
      self.reconnect = reconnect
      self.trust = trust
      self.pictureBacklog = pictureBacklog
      self.soundBacklog = soundBacklog
    }

    var playout: Playout.Settings {
      let buffer = min(max(buffer, .milliseconds(100)), .seconds(10))
      return Playout.Settings(
        buffer: buffer.microseconds, latencyLimit: min(max(latencyLimit, buffer * 2), .seconds(60)).microseconds)
    }
  }

  /// The measurements of a player.
  public struct Statistics: Sendable, Hashable {
    /// The part of the stream that is received and not shown yet: what the player adds to the delay of the server and the
    /// network.
    public var delay = Duration.zero
    /// The received bits per second, over the last two seconds.
    public var bitrate = 0
    /// The pictures shown per second, over the last two seconds.
    public var fps = 0.0
    /// The width of the last picture in pixels; 0 before the first.
    public var width = 0
    /// The height of the last picture in pixels; 0 before the first.
    public var height = 0
    /// The codec of the pictures, such as "H.264"; nil before the first.
    public var videoCodec: String?
    /// The codec of the sound, such as "AAC"; nil before the first.
    public var audioCodec: String?
    /// The pictures shown since the start.
    public var shown = 0
    /// The pictures that were decoded too late to be shown.
    public var late = 0
    /// The pictures and frames of sound that could not be decoded.
    public var failed = 0
    /// The pauses because nothing was left to play.
    public var stalls = 0
    /// The times that the player continued with the newest, because more than ``Options/latencyLimit`` waited.
    public var jumps = 0
    /// The connections after the first.
    public var reconnections = 0
  }

  /// The pictures, for one reader. The stream ends in a final state.
  public let pictures: AsyncStream<VideoFrame>
  /// The sound at 48 kHz in stereo, for one reader. The stream ends in a final state.
  public let sound: AsyncStream<AudioFrame>
  private let shared: Shared
  private let task: Task<Void, Never>

  /// The state of a player that any thread reads.
  final class Shared: Sendable {
    let state = Mutex(State.connecting)
    let statistics = Mutex(Statistics())
    let states = Broadcaster<State>()

    /// A final state stays.
    func enter(_ next: State) {
      let isNew = state.withLock { state in
        guard !state.isFinal, state != next else { return false }
        state = next
        return true
      }
      guard isNew else { return }
      states.send(next)
      if next.isFinal { states.finish() }
    }
  }

  /// Starts to play a stream. An unusable URL is reported as the state `failed`.
  public convenience init(_ url: String, options: Options = Options()) {
    self.init(options: options) { () throws(StreamFailure) in url }
  }

  /// Starts to play a stream whose URL may change, such as one with a signature.
  /// - Parameters:
  ///   - options: How the player buffers and reconnects.
  ///   - url: Returns the URL of the next connection.
  public init(options: Options = Options(), url: @escaping @Sendable () async throws(StreamFailure) -> String) {
    let (pictures, showing) = AsyncStream.makeStream(
      of: VideoFrame.self, bufferingPolicy: .bufferingNewest(max(1, options.pictureBacklog)))
    let (sound, hearing) = AsyncStream.makeStream(
      of: AudioFrame.self, bufferingPolicy: .bufferingNewest(max(1, options.soundBacklog)))
    let shared = Shared()
    self.pictures = pictures
    self.sound = sound
    self.shared = shared
    let playing = StreamPlaying(options, shared, showing, hearing)
    task = Task {
      await playing.run(url)
      shared.enter(.ended)
      showing.finish()
      hearing.finish()
    }
  }

  deinit { task.cancel() }

  /// The current state.
  public var state: State { shared.state.withLock { $0 } }

  /// Returns a new stream of the states, which begins with the current one and ends after a final one.
  public func states() -> AsyncStream<State> { shared.states.stream(backlog: 64, first: state) }

  /// The current measurements.
  public var statistics: Statistics { shared.statistics.withLock { $0 } }

  /// Stops playing for good.
  public func stop() {
    shared.enter(.ended)
    task.cancel()
  }
}
