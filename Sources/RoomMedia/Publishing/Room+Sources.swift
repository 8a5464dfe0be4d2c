import Codecs
import RoomClient

// Publishing in one call: makes the sources too.

extension Room {
  /// Publishes a microphone and a camera, both or none. The app pushes its samples and pictures into them.
  /// - Parameters:
  ///   - audio: how sound is encoded; mono at 32 kbit/s by default.
  ///   - video: how pictures are encoded; 368x640 at 24 frames a second by default.
  /// - Returns: what to push into, and to keep: a source that is let go stops.
  /// - Throws: ``VideoLimitError``, or `CodecError` for settings that no encoder takes; as ``Room/publish(_:)``.
  public func publish(
    audio: OpusEncoderSettings = .init(), video: VideoConfiguration = VideoPreset.medium1.configuration()
  ) async throws -> (audio: AudioSource, video: VideoSource) {
    let sources = (audio: try AudioSource(audio), video: try VideoSource(video))
    try await publish(audio: sources.audio.track, video: sources.video.track)
    return sources
  }

  /// Publishes a microphone, into which the app pushes its samples.
  /// - Returns: what to push into, and to keep: a source that is let go stops.
  /// - Throws: `CodecError` for settings out of range; as ``Room/publish(_:)``.
  public func publishAudio(_ settings: OpusEncoderSettings = .init()) async throws -> AudioSource {
    let source = try AudioSource(settings)
    try await publishAudio(source.track)
    return source
  }

  /// Publishes a camera, into which the app pushes its pictures.
  /// - Returns: what to push into, and to keep: a source that is let go stops.
  /// - Throws: ``VideoLimitError``, or `CodecError` for settings that no encoder takes; as ``Room/publish(_:)``.
  public func publishVideo(
    _ configuration: VideoConfiguration = VideoPreset.medium1.configuration()
  ) async throws -> VideoSource {
    let source = try VideoSource(configuration)
    try await publishVideo(source.track)
    return source
  }
}
