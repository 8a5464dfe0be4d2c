import RoomClient
import RoomProtocol
import Synchronization

/// A participant who publishes into a room and receives everyone else. Counts what arrives and, on request, decodes the others.
final class MeetingParticipant: Sendable {
  let user: UserID
  let room: Room
  let settings: SignalSource.Settings
  private let source: SignalSource
  private let recorder: Recorder
  private let firsts: Task<Void, Never>
  private let watched = Watched()

  /// The seconds without a picture after which it stands still: a video that resumes needs a key frame first.
  private static let stillSeconds = 3

  /// The participants who are decoded.
  private final class Watched: Sendable {
    let state = Mutex(State())
  }

  /// A participant who is decoded.
  private struct Other {
    let user: UserID
    let watcher: RoomWatcher
    /// The seconds since the last picture, or since the server stated that it pauses the video.
    var still = 0
  }

  private struct State {
    var others: [Other] = []
    /// The tracks that the server pauses, for a reason that it stated.
    var paused: Set<TrackID> = []
    /// The tracks that were paused at any time since the last report.
    var recent: Set<TrackID> = []

    mutating func note(_ stream: StreamInfo) {
      if stream.state == .paused {
        paused.insert(stream.trackId)
        recent.insert(stream.trackId)
      } else {
        paused.remove(stream.trackId)
      }
    }
  }

  static func come(to roomName: RoomName, _ settings: SignalSource.Settings, on stage: Stage) async throws -> MeetingParticipant
  {
    let user: UserID = "person-\(settings.number)"
    let room = try await stage.join(roomName, as: user)
    do {
      let source = try SignalSource(settings, recorder: stage.recorder)
      try await stage.recorder.time(.call, of: "publish") { try await room.publish(source.tracks) }
      return MeetingParticipant(user: user, room: room, settings: settings, source: source, recorder: stage.recorder)
    } catch {
      await room.leave()
      throw error
    }
  }

  private init(user: UserID, room: Room, settings: SignalSource.Settings, source: SignalSource, recorder: Recorder) {
    self.user = user
    self.room = room
    self.settings = settings
    self.source = source
    self.recorder = recorder
    let events = room.events()
    let watched = watched
    firsts = Task {
      var began: [TrackID: ContinuousClock.Instant] = [:]
      for await event in events {
        switch event {
        case .trackSubscribed(let track): began[track.trackId] = .now
        case .streamsChanged(let streams):
          watched.state.withLock { for stream in streams { $0.note(stream) } }
        case .firstFrame(let track):
          guard let begin = began.removeValue(forKey: track.trackId) else { continue }
          recorder.record(.firstMedia, (ContinuousClock.now - begin) / .milliseconds(1), of: track.kind.rawValue)
        case .stateChanged(.reconnecting): recorder.fail("\(user) lost its connection")
        case .stateChanged(.closed(let reason)) where reason != .left: recorder.fail("\(user) was disconnected: \(reason)")
        default: break
        }
      }
    }
  }

  /// Starts to decode another participant.
  func look(at other: MeetingParticipant) {
    let watcher = RoomWatcher(room, of: other.user, SignalWatch(other.settings, hasOneClock: false))
    watched.state.withLock { $0.others.append(Other(user: other.user, watcher: watcher)) }
  }

  /// Discards what was received so far.
  func begin() { for other in watched.state.withLock({ $0.others }) { _ = other.watcher.watch.take() } }

  /// Records what was received in the last second.
  /// - Returns: the number of pictures that stand still although the server did not state that it pauses them.
  func tell() async -> Int {
    let statistics = await room.statistics()
    for track in statistics.remoteTracks {
      recorder.record(.loss, track.loss * 100)
      if track.width != nil { recorder.record(.fps, track.fps) }
    }
    let paused = watched.state.withLock { watched in
      defer { watched.recent = watched.paused }
      return room.remoteTracks.filter { watched.recent.contains($0.trackId) }
    }
    return watched.state.withLock { watched in
      for index in watched.others.indices {
        let (user, watch) = (watched.others[index].user, watched.others[index].watcher.watch)
        for kind in [TrackKind.video, .audio] {
          let isPaused = paused.contains { $0.userId == user && $0.kind == kind }
          recorder.record(.paused, isPaused ? 100 : 0, of: kind.rawValue)
          if isPaused { watch.excuse(kind) }
        }
        let report = watch.take()
        let isPaused = paused.contains { $0.userId == user && $0.kind == .video }
        watched.others[index].still = isPaused || report.pictures > 0 ? 0 : watched.others[index].still + 1
        report.tell(recorder, of: "decoded", seconds: 1)
      }
      return watched.others.count { $0.still >= Self.stillSeconds }
    }
  }

  func leave() async {
    firsts.cancel()
    await room.leave()
    source.stop()
  }
}
