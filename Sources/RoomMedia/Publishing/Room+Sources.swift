import RoomCodecs
import RoomClient

// Calls that create sources and publish their tracks.

extension Room {
  /// Creates an audio and a video source and publishes their tracks, both or none. The app pushes its samples and pictures into
  /// them.
  /// - Parameters:
  ///   - audio: the audio settings; mono at 32 kbit/s by default.
  ///   - video: the video configuration; 368x640 at 24 frames per second by default.
  /// - Returns: the sources. Keep them, because a source that is released stops.
  /// - Throws: ``VideoLimitError``, or `CodecError` for settings that the encoder rejects; else as `Room.publish(_:)`.
  public func publish(
    audio: OpusEncoderSettings = .init(), video: VideoConfiguration = VideoPreset.medium1.configuration()
  ) async throws -> (audio: AudioSource, video: VideoSource) {
    let sources = (audio: try AudioSource(audio), video: try VideoSource(video))
    try await publish(audio: sources.audio.track, video: sources.video.track)
    return sources
  }

  /// Creates an audio source and publishes its track. The app pushes its samples into it.
  /// - Parameter settings: the audio settings; mono at 32 kbit/s by default.
  /// - Returns: the source. Keep it, because a source that is released stops.
  /// - Throws: `CodecError` for settings out of range; else as `Room.publish(_:)`.
  public func publishAudio(_ settings: OpusEncoderSettings = .init()) async throws -> AudioSource {
    let source = try AudioSource(settings)
    try await publishAudio(source.track)
    return source
  }

  /// Creates a video source and publishes its track. The app pushes its pictures into it.
  /// - Parameter configuration: the video configuration; 368x640 at 24 frames per second by default.
  /// - Returns: the source. Keep it, because a source that is released stops.
  /// - Throws: ``VideoLimitError``, or `CodecError` for settings that the encoder rejects; else as `Room.publish(_:)`.
  public func publishVideo(
    _ configuration: VideoConfiguration = VideoPreset.medium1.configuration()
  ) async throws -> VideoSource {
    let source = try VideoSource(configuration)
    try await publishVideo(source.track)
    return source
  }
}
