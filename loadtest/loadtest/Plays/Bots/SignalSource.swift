import RoomCodecs
import Foundation
import RoomRTP
import RoomClient
import RoomMedia

/// A camera and a microphone whose video and audio let viewers measure the transmission.
///
/// The picture contains the time of day in machine-readable form (`ClockBlocks`). At every full second, a white bar at its
/// bottom flashes. The audio is a tone that never pauses, with a beep at each flash.
final class SignalSource: Sendable {
  struct Settings: Sendable {
    var width = 360
    var height = 640
    var fps = 15
    var kbps = 400
    /// Selects colour and pitches.
    var number = 0
    var hasVideo = true
    /// The sizes of the video: 1 … 3.
    var layers = 1
    /// Peak of the tone. The sum of many speakers has to stay below full scale.
    var amplitude = 0.1
    /// Whether the audio contains beeps.
    var beeps = true

    /// Frequency in Hz. Tones beat with each other faster than the window in which silence is detected.
    var tone: Double { 350 + 150 * Double(number % 8) }
    var beep: Double { 2000 + 300 * Double(number % 8) }
  }

  /// Duration of a beep and a flash, in milliseconds.
  static let mark: Int64 = 100

  let settings: Settings
  /// Encodes the pictures, in one size or in several.
  private enum Video: Sendable {
    case single(VideoSource)
    case layered(SimulcastSource)

    var track: any LocalTrack {
      switch self {
      case .single(let source): source.track
      case .layered(let source): source.track
      }
    }

    func push(_ frame: VideoFrame) {
      switch self {
      case .single(let source): source.push(frame)
      case .layered(let source): source.push(frame)
      }
    }

    func stop() {
      switch self {
      case .single(let source): source.stop()
      case .layered(let source): source.stop()
      }
    }
  }

  private let video: Video?
  private let audio: AudioSource
  private let feed: Task<Void, Never>

  /// Starts at once.
  /// - Parameter recorder: records how late the source is, second by second.
  init(_ settings: Settings, recorder: Recorder? = nil) throws {
    self.settings = settings
    let video = try settings.hasVideo ? Self.encoder(settings) : nil
    let audio = try AudioSource(OpusEncoderSettings(bitrate: 48_000))
    self.video = video
    self.audio = audio
    let pattern = try TestPattern(width: settings.width, height: settings.height, index: settings.number)
    feed = Task.detached(priority: .high) { await Self.run(settings, video, audio, pattern, recorder) }
  }

  deinit { feed.cancel() }

  var tracks: [any LocalTrack] { [audio.track] + (video.map { [$0.track] } ?? []) }

  /// Creates the video encoder.
  private static func encoder(_ settings: Settings) throws -> Video {
    let full = VideoEncoderSettings(
      width: settings.width, height: settings.height, fps: settings.fps, bitrate: settings.kbps * 1000,
      keyFrameInterval: 2 * settings.fps)
    let configuration = VideoConfiguration(speed: .ultrafast, full)
    switch settings.layers {
    case 1: return .single(try VideoSource(configuration))
    case 2: return .layered(try SimulcastSource(configuration))
    default: return .layered(try SimulcastSource(configuration, smaller: [.smallLayer(of: full), .middleLayer(of: full)]))
    }
  }

  func stop() {
    feed.cancel()
    video?.stop()
    audio.stop()
  }

  private static func run(
    _ settings: Settings, _ video: Video?, _ audio: AudioSource, _ pattern: TestPattern, _ recorder: Recorder?
  ) async {
    let clock = ContinuousClock()
    var tone = ToneGenerator(frequency: settings.tone, amplitude: settings.amplitude)
    var beep = ToneGenerator(frequency: settings.beep, amplitude: 2 * settings.amplitude)
    // Packets start at multiples of 20 ms of the time of day, so that a beep fills whole packets.
    var wall = Int64(Date().timeIntervalSince1970 * 1000)
    let wait = 20 - wall % 20
    wall += wait
    var origin = clock.now + .milliseconds(wait)
    // Pictures are aligned to the time of day, so that the first one that flashes is that of the full second.
    let fps = Int64(settings.fps)
    let phase = wall % 1000 * 1000
    var picture = (phase * fps + 999_999) / 1_000_000
    var latest = 0.0
    for step in Int64(0)... {
      let time = step * 20_000
      let day = wall + step * 20
      let late = (clock.now - origin) / .milliseconds(1) - Double(time) / 1000
      latest = max(latest, late)
      var samples = tone.next(OpusEncoder.frameCount)
      if settings.beeps {
        let loud = beep.next(OpusEncoder.frameCount)
        if day % 1000 < mark { for index in samples.indices { samples[index] = samples[index] &+ loud[index] } }
      }
      audio.push(AudioFrame(samples: samples, format: .mono48k, timestamp: MediaTime(microseconds: time)))
      while let video, picture * 1_000_000 / fps - phase <= time {
        let at = picture * 1_000_000 / fps - phase
        if let frame = draw(pattern, number: picture, time: at, day: (wall * 1000 + at + 500) / 1000, real: now()) {
          video.push(frame)
        }
        picture += 1
      }
      if step % 50 == 49 {
        recorder?.record(.botsLate, latest)
        latest = 0
      }
      let due = origin + .microseconds(time + 20_000)
      // After a long stall of the machine, the source does not catch up in a burst.
      if clock.now - due > .seconds(1) {
        let late = (clock.now - due) / .milliseconds(1)
        origin += .milliseconds(Int64(late) / 20 * 20)
        wall += Int64(late) / 20 * 20
      }
      do { try await clock.sleep(until: due, tolerance: .zero) } catch { return }
    }
  }

  private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// - Parameters:
  ///   - day: the time of day that the picture belongs to, in milliseconds; decides whether it flashes.
  ///   - real: the current time of day, which the picture shows.
  private static func draw(_ pattern: TestPattern, number: Int64, time: Int64, day: Int64, real: Int64) -> VideoFrame? {
    guard var frame = try? pattern.frame(number: Int(number), milliseconds: real, timestamp: MediaTime(microseconds: time))
    else { return nil }
    let isFlash = day % 1000 < mark
    frame.withMutablePlanes { planes in
      let height = planes.height / 8
      planes.fill(x: 0, y: planes.height - height, width: planes.width, height: height, isFlash ? .white : .black)
    }
    return frame
  }
}
