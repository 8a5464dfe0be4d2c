import RoomClient
import RoomCodecs
import RoomMedia
import RoomMixing
import RoomProtocol
import Synchronization

/// Draws each pushed picture and the newest remote pictures on one canvas.
final class PictureMixing: Sendable {
  let width: Int
  let height: Int
  private let compositor: Mutex<Compositor<MixSource>>
  private let remotes = DecodedTracks<VideoPlayback>()
  private let frames = SourceQueue<VideoFrame>(backlog: VideoSource.backlog)

  /// - Parameter take: receives the canvas for each pushed picture, with its timestamp.
  /// - Throws: `CodecError` for a canvas of an unsupported size, or a track that cannot be decoded.
  init(_ mix: StreamingMix, take: @escaping @Sendable (VideoFrame) -> Void) throws(CodecError) {
    (width, height) = (mix.width, mix.height)
    compositor = Mutex(try Compositor(try mix.composition()))
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
    let gone = try remotes.set(mix.pictures.prefix(StreamingMix.limit).map(\.track)) { (track) throws(CodecError) in
      try decode(track)
    }
    compositor.withLock { compositor in
      for id in gone { compositor.setPicture(nil, of: .track(id)) }
      compositor.setPlacements(placements)
    }
  }

  private func decode(_ track: RemoteTrack) throws(CodecError) -> DecodedTracks<VideoPlayback>.Decoding {
    let playback = try VideoPlayback(track)
    let (pictures, id) = (playback.frames, track.trackId)
    let task = Task { [weak self] in
      for await picture in pictures where !Task.isCancelled { self?.show(picture, of: id) }
      // The last picture does not stay.
      if !Task.isCancelled { self?.show(nil, of: id) }
    }
    return (playback, task)
  }

  private func show(_ picture: VideoFrame?, of id: TrackID) {
    compositor.withLock { $0.setPicture(picture, of: .track(id)) }
  }

  func push(_ frame: VideoFrame) -> Bool { frames.push(frame) }

  func stop() {
    frames.end()
    remotes.stop()
  }

  private func canvas(with frame: VideoFrame) -> VideoFrame {
    compositor.withLock { compositor in
      compositor.setPicture(frame, of: .camera)
      return compositor.compose(timestamp: frame.timestamp)
    }
  }
}
