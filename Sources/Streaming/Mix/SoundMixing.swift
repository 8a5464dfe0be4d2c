import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import Synchronization

/// Adds remote sound to the pushed sound, which gives the pace.
final class SoundMixing: Sendable {
  private struct State {
    let mixer = PacedMixer()
    var remotes: [TrackID: Remote] = [:]
  }

  /// A remote track that is decoded, and the task that passes on its samples.
  private struct Remote: Sendable {
    let playback: AudioPlayback
    let task: Task<Void, Never>
  }

  private let state = Mutex(State())
  private let frames = SourceQueue<AudioFrame>(backlog: AudioSource.backlog)

  /// - Parameter take: receives the sum for each pushed frame, with its timestamp.
  /// - Throws: `CodecError` for a track that cannot be decoded.
  init(_ mix: StreamingMix, take: @escaping @Sendable (AudioFrame) -> Void) throws(CodecError) {
    try update(mix)
    let local = frames.frames
    frames.run { [weak self] in
      for await frame in local { if let sum = self?.sum(with: frame) { take(sum) } }
    }
  }

  deinit { stop() }

  /// Changes the tracks. Those that stay are mixed without an interruption.
  /// - Throws: `CodecError` for a track that cannot be decoded. The old tracks remain.
  func update(_ mix: StreamingMix) throws(CodecError) {
    let tracks = mix.sounds.prefix(StreamingMix.limit)
    let known = state.withLock { Set($0.remotes.keys) }
    var added: [TrackID: Remote] = [:]
    for track in tracks where !known.contains(track.trackId) && added[track.trackId] == nil {
      added[track.trackId] = try decode(track)
    }
    state.withLock { state in
      let wanted = Set(tracks.map(\.trackId))
      for (id, remote) in state.remotes where !wanted.contains(id) {
        remote.task.cancel()
        state.remotes[id] = nil
        state.mixer.remove(id)
      }
      state.remotes.merge(added) { old, _ in old }
    }
  }

  private func decode(_ track: RemoteTrack) throws(CodecError) -> Remote {
    let playback = try AudioPlayback(track, channels: 2)
    let (sounds, id) = (playback.frames, track.trackId)
    let task = Task { [weak self] in
      for await frame in sounds where !Task.isCancelled {
        self?.state.withLock { $0.mixer.write(frame.samples, of: id) }
      }
    }
    return Remote(playback: playback, task: task)
  }

  func push(_ frame: AudioFrame) { frames.push(frame) }

  func stop() {
    frames.end()
    state.withLock { state in
      for remote in state.remotes.values { remote.task.cancel() }
      state.remotes = [:]
    }
  }

  /// Samples that cannot be converted are skipped.
  private func sum(with frame: AudioFrame) -> AudioFrame? {
    try? state.withLock { try $0.mixer.sum(with: frame) }
  }
}
