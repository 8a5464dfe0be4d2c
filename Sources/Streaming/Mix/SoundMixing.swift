import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import Synchronization

/// Adds remote sound to the pushed sound, which gives the pace.
final class SoundMixing: Sendable {
  private let mixer = Mutex(PacedMixer())
  private let remotes = DecodedTracks<AudioPlayback>()
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

  /// Changes the tracks. Tracks that stay are mixed without an interruption.
  /// - Throws: `CodecError` for a track that cannot be decoded. The old tracks remain.
  func update(_ mix: StreamingMix) throws(CodecError) {
    let gone = try remotes.set(mix.sounds.prefix(StreamingMix.limit)) { (track) throws(CodecError) in try decode(track) }
    mixer.withLock { mixer in for id in gone { mixer.remove(id) } }
  }

  private func decode(_ track: RemoteTrack) throws(CodecError) -> DecodedTracks<AudioPlayback>.Decoding {
    let playback = try AudioPlayback(track, channels: 2)
    let (sounds, id) = (playback.frames, track.trackId)
    let task = Task { [weak self] in
      for await frame in sounds where !Task.isCancelled { self?.mixer.withLock { $0.write(frame.samples, of: id) } }
    }
    return (playback, task)
  }

  func push(_ frame: AudioFrame) { frames.push(frame) }

  func stop() {
    frames.end()
    remotes.stop()
  }

  /// Samples that cannot be converted are skipped.
  private func sum(with frame: AudioFrame) -> AudioFrame? {
    try? mixer.withLock { try $0.sum(with: frame) }
  }
}
