import RoomCodecs
import RoomClient
import Synchronization

/// Plays a media file into tracks in real time.
///
/// ```swift
/// let film = try MediaFileSource(path: "film.mp4", loops: true)
/// try await room.publish(film.tracks)
/// film.start()
/// ```
public final class MediaFileSource: Sendable {
  /// The source of the video; nil if the file has none.
  public let video: VideoSource?
  /// The source of the audio; nil if the file has none.
  public let audio: AudioSource?
  private let file: Mutex<MediaFile?>
  private let playing = Mutex<Task<Void, Never>?>(nil)

  /// Opens a file. ``start()`` plays it.
  /// - Parameters:
  ///   - path: the path of any file that FFmpeg can read.
  ///   - videoConfiguration: the encoder's configuration; nil uses the file's size and frame rate, up to 1280x720 at 30.
  ///   - audioSettings: the settings of the Opus encoder.
  ///   - loops: whether to start again at the end.
  /// - Throws: `CodecError.file` if the file cannot be read, ``VideoLimitError`` for an invalid configuration.
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

  /// The tracks of the file.
  public var tracks: [any LocalTrack] { [video?.track as (any LocalTrack)?, audio?.track].compactMap { $0 } }

  /// Starts to play. A second call does nothing.
  public func start() {
    playing.withLock { playing in
      guard playing == nil else { return }
      let player = Player(file.withLock { $0.take() }, video: video, audio: audio)
      playing = Task { await player.play() }
    }
  }

  /// Stops playing.
  public func stop() {
    playing.withLock { $0?.cancel() }
    video?.stop()
    audio?.stop()
  }

  /// Returns when the file ended or was stopped; at once if it was not started.
  public func finished() async { await playing.withLock { $0 }?.value }
}

/// Reads the file slightly ahead of the clock.
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
    // A read error ends playing like the end of the file.
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
