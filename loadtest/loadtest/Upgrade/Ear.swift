import RoomClient
import RoomMedia
import RoomProtocol
import Synchronization

/// A participant of a room that decodes what it receives, and measures how long it is without sound and pictures.
final class Ear: Sendable {
  struct Report: Sendable {
    /// The longest silence, and the longest time without a picture, of any user.
    var silence: Duration
    var freeze: Duration
    /// The user of that silence, and how long ago it began.
    var silent: UserID?
    var silentFor: Duration
    /// How often it has joined again.
    var returns: Int
    var isConnected: Bool
  }

  private struct State: Sendable {
    var sound = Gaps()
    var pictures = Gaps()
    var returns = 0
    // Retained, because a playback stops when it is released.
    var playbacks: [TrackID: any Sendable] = [:]
  }

  /// The smallest sample, relative to 32,768, that is not silence.
  private static let audible = 300

  let room: Room
  private let state = Mutex(State())
  private let tasks = Mutex<[Task<Void, Never>]>([])

  /// Starts at once.
  init(_ room: Room) {
    self.room = room
    let events = room.events()
    for track in room.remoteTracks { decode(track) }
    keep(
      Task { [weak self] in
        for await event in events {
          switch event {
          case .trackSubscribed(let track): self?.decode(track)
          case .trackUnsubscribed(let track): self?.forget(track)
          case .stateChanged(.connected): self?.state.withLock { $0.returns += 1 }
          default: break
          }
        }
      })
  }

  deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

  /// The users whose sound has arrived, and those whose pictures have.
  var heard: Set<UserID> { state.withLock { $0.sound.users } }
  var seen: Set<UserID> { state.withLock { $0.pictures.users } }

  /// Forgets the gaps so far.
  func begin() {
    let now = ContinuousClock.now
    state.withLock { state in
      state.sound.reset(at: now)
      state.pictures.reset(at: now)
      state.returns = 0
    }
  }

  var report: Report {
    let now = ContinuousClock.now
    return state.withLock { state in
      let silence = state.sound.longest(at: now)
      return Report(
        silence: silence?.length ?? .zero, freeze: state.pictures.longest(at: now)?.length ?? .zero, silent: silence?.user,
        silentFor: silence.map { now - $0.begin } ?? .zero, returns: state.returns, isConnected: room.state == .connected)
    }
  }

  func leave() async {
    for task in tasks.withLock({ $0 }) { task.cancel() }
    await room.leave()
  }

  private func keep(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }

  private func forget(_ track: RemoteTrack) { state.withLock { _ = $0.playbacks.removeValue(forKey: track.trackId) } }

  private func decode(_ track: RemoteTrack) {
    guard state.withLock({ $0.playbacks[track.trackId] == nil }) else { return }
    let user = track.userId
    switch track.kind {
    case .audio:
      guard let playback = try? AudioPlayback(track) else { return }
      state.withLock { $0.playbacks[track.trackId] = playback }
      keep(
        Task { [weak self, frames = playback.frames] in
          for await frame in frames where frame.samples.contains(where: { abs(Int($0)) > Self.audible }) {
            self?.state.withLock { $0.sound.received(from: user, at: .now) }
          }
        })
    case .video:
      guard let playback = try? VideoPlayback(track, backlog: 16) else { return }
      state.withLock { $0.playbacks[track.trackId] = playback }
      keep(
        Task { [weak self, frames = playback.frames] in
          for await _ in frames { self?.state.withLock { $0.pictures.received(from: user, at: .now) } }
        })
    }
  }
}
