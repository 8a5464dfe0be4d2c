import RoomCodecs
import RoomMedia
import Synchronization

/// The path of a session's media: through the mix to the output of the push, and to sources of a room.
final class SessionMedia: Sendable {
  private struct State: Sendable {
    var output: (any StreamingOutput)?
    var camera: VideoSource?
    var microphone: AudioSource?
    var pictures: PictureMixing?
    var sounds: SoundMixing?
  }

  private let state = Mutex(State())

  /// The output; nil while there is no push.
  var output: (any StreamingOutput)? { state.withLock { $0.output } }

  func setOutput(_ output: (any StreamingOutput)?) {
    let old = state.withLock { state in
      defer { state.output = output }
      return state.output
    }
    old?.stop()
  }

  func share(camera: VideoSource?, microphone: AudioSource?) {
    state.withLock { ($0.camera, $0.microphone) = (camera, microphone) }
  }

  /// - Throws: `CodecError` for a canvas of an unsupported size, or a track that cannot be decoded. The old mix remains.
  func setMix(_ mix: StreamingMix?) throws(CodecError) {
    let old = state.withLock { ($0.pictures, $0.sounds) }
    var new: (PictureMixing?, SoundMixing?) = (nil, nil)
    if let mix {
      if let pictures = old.0, (pictures.width, pictures.height) == (mix.width, mix.height) {
        try pictures.update(mix)
        new.0 = pictures
      } else {
        new.0 = try PictureMixing(mix) { [weak self] in _ = self?.output?.push($0) }
      }
      if let sounds = old.1 {
        try sounds.update(mix)
        new.1 = sounds
      } else if !mix.sounds.isEmpty {
        new.1 = try SoundMixing(mix) { [weak self] in self?.output?.push($0) }
      }
    }
    state.withLock { ($0.pictures, $0.sounds) = new }
    if old.0 !== new.0 { old.0?.stop() }
    if old.1 !== new.1 { old.1?.stop() }
  }

  func push(_ frame: VideoFrame) -> Bool {
    let state = state.withLock { $0 }
    state.camera?.push(frame)
    return state.pictures?.push(frame) ?? state.output?.push(frame) ?? true
  }

  func push(_ frame: AudioFrame) {
    let state = state.withLock { $0 }
    if let sounds = state.sounds { sounds.push(frame) } else { state.output?.push(frame) }
    state.microphone?.push(frame)
  }

  func end() {
    let old = state.withLock { state in
      defer { state = State() }
      return state
    }
    old.pictures?.stop()
    old.sounds?.stop()
    old.output?.stop()
    old.output?.close {}
  }
}
