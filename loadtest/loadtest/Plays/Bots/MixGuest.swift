import RoomClient
import RoomProtocol
import Synchronization

/// A guest who decodes a room's mix, and follows whether the server says that its video is paused.
final class MixGuest: Sendable {
  /// The user of a room's own mix.
  private static let mix: UserID = "@mix"
  /// How long a video that resumes may take until its first picture.
  private static let resumption = Duration.seconds(2)

  private struct Pause: Sendable {
    var isPaused = false
    var endedAt: ContinuousClock.Instant?
  }

  private let room: Room
  private let watcher: RoomWatcher
  private let recorder: Recorder
  private let pause: Shared
  private let following: Task<Void, Never>

  private final class Shared: Sendable {
    let state = Mutex(Pause())
  }

  static func join(_ name: RoomName, as user: UserID, on stage: Stage) async throws -> MixGuest {
    MixGuest(try await stage.join(name, as: user, grants: .subscribe), stage.recorder)
  }

  private init(_ room: Room, _ recorder: Recorder) {
    self.room = room
    self.recorder = recorder
    // The beeps of the first anchor show the delay.
    watcher = RoomWatcher(room, of: Self.mix, SignalWatch(SignalSource.Settings(), hasOneClock: false))
    let (events, pause) = (room.events(), Shared())
    self.pause = pause
    following = Task {
      for await event in events {
        switch event {
        case .streamsChanged(let streams): if let stream = streams.last { Self.follow(stream, pause) }
        case .stateChanged(.reconnecting): recorder.fail("a guest lost its connection")
        case .stateChanged(.closed(let reason)) where reason != .left: recorder.fail("a guest was disconnected: \(reason)")
        default: break
        }
      }
    }
  }

  /// A guest has one video.
  private static func follow(_ stream: StreamInfo, _ pause: Shared) {
    pause.state.withLock { pause in
      let isPaused = stream.state == .paused && stream.reason != nil
      if pause.isPaused, !isPaused { pause.endedAt = .now }
      pause.isPaused = isPaused
    }
  }

  var hasMedia: Bool { watcher.watch.hasMedia }

  /// Discards what was received so far.
  func begin() { _ = watcher.watch.take() }

  /// Records what was received in the last second. A wait for which the server has given a reason is recorded as a pause.
  func tell() {
    var report = watcher.watch.take()
    let pause = pause.state.withLock { $0 }
    recorder.record(.paused, pause.isPaused ? 100 : 0, of: TrackKind.video.rawValue)
    if pause.isPaused || pause.endedAt.map({ ContinuousClock.now - $0 < Self.resumption }) == true { report.longestWait = nil }
    report.tell(recorder, of: "decoded", seconds: 1)
  }

  func leave() async {
    following.cancel()
    await watcher.leave()
  }
}
