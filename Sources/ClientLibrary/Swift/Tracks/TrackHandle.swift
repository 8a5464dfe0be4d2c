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
    case audio(AudioSource)
    case encodedVideo(LocalVideoTrack)
    case encodedAudio(LocalAudioTrack)
  }

  private let source: Source
  private let signals = Mutex<[TrackSignals]>([])

  init(_ source: Source) { self.source = source }

  var track: any LocalTrack {
    switch source {
    case .video(let source): source.track
    case .audio(let source): source.track
    case .encodedVideo(let track): track
    case .encodedAudio(let track): track
    }
  }

  func push(_ frame: VideoFrame) throws(Refusal) {
    guard case .video(let source) = source else { throw .argument("track", "does not encode pictures") }
    source.push(frame)
  }

  func push(_ frame: AudioFrame) throws(Refusal) {
    guard case .audio(let source) = source else { throw .argument("track", "does not encode PCM") }
    source.push(frame)
  }

  func send(_ frame: EncodedFrame, level: Int) throws(Refusal) {
    let isSent =
      switch source {
      case .encodedVideo(let track): track.send(frame)
      case .encodedAudio(let track): track.send(frame, level: level)
      case .video, .audio: throw Refusal.argument("track", "encodes by itself")
      }
    if !isSent { throw Refusal(RC_DROPPED, "the frame was dropped") }
  }

  /// Delivers the requests of a video track.
  func listen(_ signals: (LocalVideoTrack) -> TrackSignals) throws(Refusal) {
    guard let video = track as? LocalVideoTrack else { throw .argument("track", "is not a video track") }
    let new = signals(video)
    self.signals.withLock { $0.append(new) }
  }

  func close() {
    switch source {
    case .video(let source): source.stop()
    case .audio(let source): source.stop()
    case .encodedVideo, .encodedAudio: break
    }
    for signals in signals.withLock({ $0 }) { signals.end() }
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> TrackHandle {
    try HandleTable.shared.find(handle, TrackHandle.self, "track")
  }

  /// Returns the tracks of an array argument.
  static func named(_ handles: UnsafePointer<OpaquePointer?>?, _ count: Int) throws(Refusal) -> [any LocalTrack] {
    try elements(handles, count, "tracks").map { handle throws(Refusal) in try named(handle).track }
  }
}
