import RoomClient
import RoomCodecs
import RoomMedia
import RoomMixing
import RoomProtocol
import Synchronization

/// Draws each pushed picture and the newest remote pictures on one canvas.
final class PictureMixing: Sendable {
  private struct State {
    let compositor: Compositor<MixSource>
    var remotes: [TrackID: Remote] = [:]
  }

  /// A remote track that is decoded, and the task that passes on its pictures.
  private struct Remote: Sendable {
    let playback: VideoPlayback
    let task: Task<Void, Never>
  }

  let width: Int
  let height: Int
  private let state: Mutex<State>
  private let frames = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// - Parameter take: receives the canvas for each pushed picture, with its timestamp.
  /// - Throws: `CodecError` for a canvas of an unsupported size, or a track that cannot be decoded.
  init(_ mix: StreamingMix, take: @escaping @Sendable (VideoFrame) -> Void) throws(CodecError) {
    (width, height) = (mix.width, mix.height)
    state = Mutex(State(compositor: try Compositor(try mix.composition())))
    try update(mix)
    let local = frames.frames
    frames.run { [weak self] in
      for await frame in local { if let canvas = self?.canvas(with: frame) { take(canvas) } }
    }
  }

  deinit { stop() }

  /// Changes the placements. Tracks that stay are decoded without an interruption.
  /// - Throws: `CodecError` for a track that cannot be decoded. The old placements remain.
  func update(_ mix: StreamingMix) throws(CodecError) {
    let placements = try mix.composition().placements
    let tracks = mix.pictures.prefix(StreamingMix.limit).map(\.track)
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
        state.compositor.setPicture(nil, of: .track(id))
      }
      state.remotes.merge(added) { old, _ in old }
      state.compositor.setPlacements(placements)
    }
  }

  private func decode(_ track: RemoteTrack) throws(CodecError) -> Remote {
    let playback = try VideoPlayback(track)
    let (pictures, id) = (playback.frames, track.trackId)
    let task = Task { [weak self] in
      for await picture in pictures where !Task.isCancelled { self?.show(picture, of: id) }
      // Its last picture does not stay.
      if !Task.isCancelled { self?.show(nil, of: id) }
    }
    return Remote(playback: playback, task: task)
  }

  private func show(_ picture: VideoFrame?, of id: TrackID) {
    state.withLock { $0.compositor.setPicture(picture, of: .track(id)) }
  }

  func push(_ frame: VideoFrame) { frames.push(frame) }

  func stop() {
    frames.end()
    state.withLock { state in
      for remote in state.remotes.values { remote.task.cancel() }
      state.remotes = [:]
    }
  }

  private func canvas(with frame: VideoFrame) -> VideoFrame {
    state.withLock { state in
      state.compositor.setPicture(frame, of: .camera)
      return state.compositor.compose(timestamp: frame.timestamp)
    }
  }
}
