import RoomCodecs
import RoomClient
import RoomMedia
import RoomProtocol
import Synchronization

/// Decodes what a participant receives in a room and passes it to a watch.
final class RoomWatcher: Sendable {
  let watch: SignalWatch
  private let room: Room
  private let user: UserID?
  private let tasks = Mutex<[Task<Void, Never>]>([])
  // Retained, because a playback stops when it is released.
  private let playbacks = Mutex<[any Sendable]>([])

  /// - Parameter user: the user whose tracks are decoded; nil decodes those of every user.
  init(_ room: Room, of user: UserID?, _ watch: SignalWatch) {
    self.room = room
    self.user = user
    self.watch = watch
    let events = room.events()
    for track in room.remoteTracks { decode(track) }
    keep(
      Task { [weak self] in
        for await event in events { if case .trackSubscribed(let track) = event { self?.decode(track) } }
      })
  }

  deinit { tasks.withLock { $0.forEach { $0.cancel() } } }

  private func keep(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }

  private func decode(_ track: RemoteTrack) {
    guard user == nil || track.userId == user else { return }
    let isNew = playbacks.withLock { playbacks in
      !playbacks.contains { ($0 as? VideoPlayback)?.track === track || ($0 as? AudioPlayback)?.track === track }
    }
    guard isNew else { return }
    let watch = watch
    switch track.kind {
    case .video:
      guard let playback = try? VideoPlayback(track, backlog: 16) else { return }
      playbacks.withLock { $0.append(playback) }
      let frames = playback.frames
      keep(Task { for await picture in frames { watch.see(picture, media: Double(picture.timestamp.microseconds) / 1000) } })
    case .audio:
      guard let playback = try? AudioPlayback(track) else { return }
      playbacks.withLock { $0.append(playback) }
      let frames = playback.frames
      keep(Task { for await frame in frames { watch.hear(frame.samples, media: Double(frame.timestamp.microseconds) / 1000) } })
    }
  }

  func leave() async {
    tasks.withLock { $0.forEach { $0.cancel() } }
    await room.leave()
  }
}
