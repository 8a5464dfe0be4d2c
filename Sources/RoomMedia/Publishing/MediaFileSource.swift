import Codecs
import RoomClient
import Synchronization

/// Plays a media file into tracks, at the pace of real time.
///
/// ```swift
/// let film = try MediaFileSource(path: "film.mp4", loops: true)
/// try await room.publish(film.tracks)
/// film.start()
/// ```
public final class MediaFileSource: Sendable {
  /// Nil where the file has no video.
  public let video: VideoSource?
  /// Nil where the file has no audio.
  public let audio: AudioSource?
  private let file: Mutex<MediaFile?>
  private let playing = Mutex<Task<Void, Never>?>(nil)

  /// Opens a file; it plays from ``start()`` on.
  /// - Parameters:
  ///   - videoConfiguration: nil follows the file's size and frame rate, up to 1280x720 at 30.
  ///   - loops: starts again at the end.
  /// - Throws: `CodecError.file` where it cannot be read, ``VideoLimitError`` for the configuration.
  public init(
    path: String, video videoConfiguration: VideoConfiguration? = nil, audio audioSettings: OpusEncoderSettings = .init(),
    loops: Bool = false
  ) throws {
    let file = try MediaFile(
      path: path, audioFormat: AudioFormat(sampleRate: 48_000, channels: audioSettings.channels), loops: loops)
    video = try file.video.map { stream in
      let fitting = VideoConfiguration(
        fitting: stream.width, stream.height, fps: Int(min(stream.frameRate, 30).rounded()))
      return try VideoSource(videoConfiguration ?? fitting)
    }
    audio = try file.audio.map { _ in try AudioSource(audioSettings) }
    self.file = Mutex(file)
  }

  deinit { playing.withLock { $0?.cancel() } }

  /// All tracks of the file.
  public var tracks: [any LocalTrack] { [video?.track as (any LocalTrack)?, audio?.track].compactMap { $0 } }

  /// Begins to play; a second call does nothing.
  public func start() {
    playing.withLock { playing in
      guard playing == nil else { return }
      let player = Player(file.withLock { $0.take() }, video: video, audio: audio)
      playing = Task { await player.play() }
    }
  }

  /// Ends playing before the end of the file.
  public func stop() {
    playing.withLock { $0?.cancel() }
    video?.stop()
    audio?.stop()
  }

  /// Returns when the file has been played, or was stopped; at once where it was not started.
  public func finished() async { await playing.withLock { $0 }?.value }
}

/// Reads the file a little ahead of the clock.
private actor Player {
  private let file: MediaFile?
  private let video: VideoSource?
  private let audio: AudioSource?

  init(_ file: sending MediaFile?, video: VideoSource?, audio: AudioSource?) {
    self.file = file
    self.video = video
    self.audio = audio
  }

  func play() async {
    var pacing = Pacing()
    // A read error ends the file like its end.
    while !Task.isCancelled, let sample = try? file?.next() {
      switch sample {
      case .video(let frame):
        guard (try? await pacing.wait(until: frame.timestamp)) != nil else { return }
        video?.push(frame)
      case .audio(let frame):
        guard (try? await pacing.wait(until: frame.timestamp)) != nil else { return }
        audio?.push(frame)
      }
    }
  }
}
