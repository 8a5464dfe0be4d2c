import RoomCClient
import RoomCYUV
import RoomClient
import RoomCodecs
import RoomMedia
import Synchronization

/// A track that the app publishes, with the encoder of the library or without.
final class TrackHandle: Handle {
  enum Source {
    case video(VideoSource)
    case simulcast(SimulcastSource)
    case audio(AudioSource)
    case encodedVideo(LocalVideoTrack)
    case encodedAudio(LocalAudioTrack)
  }

  private let source: Source
  private let signals = Mutex<[TrackSignals]>([])
  /// The sound studio that feeds the track.
  private let feed = Mutex<SoundFeed?>(nil)

  init(_ source: Source) { self.source = source }

  var track: any LocalTrack {
    switch source {
    case .video(let source): source.track
    case .simulcast(let source): source.track
    case .audio(let source): source.track
    case .encodedVideo(let track): track
    case .encodedAudio(let track): track
    }
  }

  func push(_ frame: VideoFrame) throws(Refusal) {
    switch source {
    case .video(let source): source.push(frame)
    case .simulcast(let source): source.push(frame)
    case .audio, .encodedVideo, .encodedAudio: throw .argument("track", "does not encode pictures")
    }
  }

  func push(_ frame: AudioFrame) throws(Refusal) {
    try audioSource("track").push(frame)
  }

  func send(_ frame: EncodedFrame, level: Int) throws(Refusal) {
    let isSent =
      switch source {
      case .encodedVideo(let track): track.send(frame)
      case .encodedAudio(let track): track.send(frame, level: level)
      case .video, .simulcast, .audio: throw Refusal.argument("track", "encodes by itself")
      }
    if !isSent { throw Refusal(RC_DROPPED, "the frame was dropped") }
  }

  /// Delivers the requests of a video track.
  func listen(_ signals: (LocalVideoTrack) -> TrackSignals) throws(Refusal) {
    guard let video = track as? LocalVideoTrack else { throw .argument("track", "is not a video track") }
    let new = signals(video)
    self.signals.withLock { $0.append(new) }
  }

  /// Lets a studio change the pictures.
  func set(_ studio: (any FrameProcessor)?) throws(Refusal) {
    switch source {
    case .video(let source): source.studio = studio
    case .simulcast(let source): source.studio = studio
    case .audio, .encodedVideo, .encodedAudio: throw .argument("track", "does not encode pictures")
    }
  }

  /// Takes the sound of a sound studio, as long as the result of `connect` lives.
  func setSound(_ connect: (_ push: @escaping @Sendable (AudioFrame) -> Void) -> SoundFeed?) throws(Refusal) {
    let source = try audioSource("track")
    let new = connect { source.push($0) }
    let old = feed.withLock { feed in
      defer { feed = new }
      return feed
    }
    old?.end()
  }

  func close() {
    feed.withLock { $0 }?.end()
    switch source {
    case .video(let source): source.stop()
    case .simulcast(let source): source.stop()
    case .audio(let source): source.stop()
    case .encodedVideo, .encodedAudio: break
    }
    for signals in signals.withLock({ $0 }) { signals.end() }
  }

  /// Returns the source of a track that encodes pictures in one size.
  func videoSource(_ name: String) throws(Refusal) -> VideoSource {
    guard case .video(let source) = source else { throw .argument(name, "is not a track of rc_track_create_video") }
    return source
  }

  /// Returns the source of a track that encodes PCM.
  func audioSource(_ name: String) throws(Refusal) -> AudioSource {
    guard case .audio(let source) = source else { throw .argument(name, "is not a track of rc_track_create_audio") }
    return source
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> TrackHandle {
    try HandleTable.shared.find(handle, TrackHandle.self, "track")
  }

  /// Returns the tracks of an array argument.
  static func named(_ handles: UnsafePointer<OpaquePointer?>?, _ count: Int) throws(Refusal) -> [any LocalTrack] {
    try elements(handles, count, "tracks").map { handle throws(Refusal) in try named(handle).track }
  }
}
