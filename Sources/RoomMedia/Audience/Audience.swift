import RoomClient
import RoomProtocol
import Synchronization

/// A room's audience member: watches over WebRTC, or plays the room's stream, and changes between them at run time.
///
/// ```swift
/// let audience = Audience(room)
/// try await audience.watch(.ownCDN(PlayPicture(width: 640, height: 360, fps: 15)))
/// for await change in audience.changes() { … }
/// ```
///
/// The new way plays before the old one stops. While a stream is played, the server sends no tracks. A user who takes a seat
/// gets the tracks, and returns to the chosen mode on leaving it. An audience that is released stops its player, and leaves the
/// room as it is.
public final class Audience: Sendable {
  /// The options of an audience.
  public struct Options: Sendable, Hashable {
    /// How streams are played. The certificates of ``StreamPlayer/Options/trust`` are those of the room unless they are set.
    public var player: StreamPlayer.Options?
    /// Whether the own origin is played over RTMP instead of HTTP-FLV, if it has both.
    public var prefersRTMP: Bool

    /// Creates options.
    public init(player: StreamPlayer.Options? = nil, prefersRTMP: Bool = false) {
      self.player = player
      self.prefersRTMP = prefersRTMP
    }
  }

  private let shared: Shared
  private let tasks: [Task<Void, Never>]

  /// The state of an audience that any thread reads.
  final class Shared: Sendable {
    struct State: Sendable {
      var chosen = AudienceMode.lowLatency
      var player: StreamPlayer?
    }

    let state = Mutex(State())
    let changes = Broadcaster<AudienceChange>(openingBacklog: 64)
    let requests: AsyncStream<AudienceSwitch.Request>
    let post: AsyncStream<AudienceSwitch.Request>.Continuation

    init() {
      (requests, post) = AsyncStream.makeStream(of: AudienceSwitch.Request.self, bufferingPolicy: .bufferingOldest(256))
    }
  }

  /// Watches a room over WebRTC at first, as the room's options say.
  public init(_ room: Room, options: Options = Options()) {
    let shared = Shared()
    self.shared = shared
    let events = room.laterEvents()
    let switching = AudienceSwitch(room, options, shared)
    let follow = Task {
      for await event in events where AudienceSwitch.concerns(event) { shared.post.yield(.roomChanged(event)) }
      shared.post.yield(.roomClosed)
    }
    tasks = [follow, Task { await switching.run() }]
  }

  deinit {
    shared.post.finish()
    for task in tasks { task.cancel() }
  }

  /// The mode that was chosen last. A user on a seat watches over WebRTC, whatever is chosen.
  public var mode: AudienceMode { shared.state.withLock { $0.chosen } }
  /// The player of the room's stream; nil while tracks are received.
  public var player: StreamPlayer? { shared.state.withLock { $0.player } }

  /// Returns a new stream of what to show. The first call returns the stream that began with the initialization.
  public func changes() -> AsyncStream<AudienceChange> { shared.changes.takeOpening() ?? shared.changes.stream(backlog: 64) }

  /// Changes the mode. Returns when the new way plays; until then the old one does.
  ///
  /// For a user on a seat, the mode is applied when it leaves the seat.
  /// - Throws: ``StreamFailure`` if the stream cannot be played, with code 80203, or 80204 if the room has no such URL;
  ///   `RoomError` or `RoomClientError` if the tracks cannot be received. Nothing changes then.
  public func watch(_ mode: AudienceMode) async throws {
    try await withCheckedThrowingContinuation { waiter in
      guard case .enqueued = shared.post.yield(.watch(mode, waiter)) else {
        return waiter.resume(throwing: RoomClientError.closed)
      }
    }
  }
}
