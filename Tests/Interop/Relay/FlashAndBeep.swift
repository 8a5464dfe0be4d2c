import RoomCodecs
import Foundation
import RoomRTP
import RoomClient
import RoomMedia
import Synchronization

/// A source that flashes white and beeps at every full second, so that a recording shows the offset between video and audio.
/// Alternatively its tone is continuous, so that it shows whose audio is present.
final class FlashAndBeep: Sendable {
  static let fps = 15

  private let video: VideoSource
  private let audio: AudioSource
  private let feed: Task<Void, Never>
  private let pace: Pace

  /// The source's colour and tone.
  struct Look: Sendable {
    var width = 320
    var height = 180
    /// U and V of the whole picture; only its luma flashes.
    var blue: UInt8 = 128
    var red: UInt8 = 128
    /// Frequency in Hz; a multiple of 50.
    var tone = 1000.0
    var isSteady = false
  }

  /// Starts at once, at 15 fps. The picture is noise, so that it uses up the bitrate.
  /// - Parameter bitrate: video bitrate in bps.
  init(codec: VideoCodec = .h264, bitrate: Int = 250_000, look: Look = Look()) throws {
    let settings = VideoEncoderSettings(
      width: look.width, height: look.height, fps: Self.fps, bitrate: bitrate, keyFrameInterval: Self.fps)
    let video = try VideoSource(VideoConfiguration(codec: codec, speed: .ultrafast, settings))
    let audio = try AudioSource()
    self.video = video
    self.audio = audio
    let pace = Pace()
    self.pace = pace
    feed = Task.detached(priority: .high) { await Self.run(video, audio, look, pace) }
  }

  deinit { feed.cancel() }

  var tracks: [any LocalTrack] { [video.track, audio.track] }
  /// Pictures that were not sent because the machine was too slow.
  var droppedPictures: Int { Int(video.statistics.dropped) }

  /// Number of times that the machine delayed this source by more than a picture's duration, and the longest delay in seconds.
  var stalls: (count: Int, longest: Double) { pace.stalls.withLock { $0 } }

  private final class Pace: Sendable {
    let stalls = Mutex<(count: Int, longest: Double)>((0, 0))

    func waited(_ time: Duration) {
      let late = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
      guard late > 1 / Double(fps) else { return }
      stalls.withLock { $0 = ($0.count + 1, max($0.longest, late)) }
    }
  }

  private static func run(_ video: VideoSource, _ audio: AudioSource, _ look: Look, _ pace: Pace) async {
    let clock = ContinuousClock()
    let origin = clock.now
    var random = SystemRandomNumberGenerator()
    var pictures: Int64 = 0
    for step in Int64(0)... {
      let time = step * 20_000
      audio.push(AudioFrame(samples: sound(at: time, look), format: .mono48k, timestamp: MediaTime(microseconds: time)))
      while pictures * 1_000_000 / Int64(fps) <= time {
        let number = Int(pictures % Int64(fps))
        if let frame = picture(look, isFlash: number < 2, at: pictures * 1_000_000 / Int64(fps), &random) { video.push(frame) }
        pictures += 1
      }
      let next = origin + .microseconds(time + 20_000)
      do { try await clock.sleep(until: next, tolerance: .zero) } catch { return }
      pace.waited(clock.now - next)
    }
  }

  /// Returns 20 ms of a tone, in the first 100 ms of each second or always.
  private static func sound(at time: Int64, _ look: Look) -> [Int16] {
    guard look.isSteady || time % 1_000_000 < 100_000 else { return [Int16](repeating: 0, count: 960) }
    return (0..<960).map { Int16(12_000 * sin(2 * .pi * look.tone * Double($0) / 48_000)) }
  }

  /// Dark noise, of which each row of a picture is another part: a random number for each sample would take the CPU time of the server.
  private static let noise: [UInt8] = (0..<65_536).map { _ in UInt8.random(in: 0..<64) }

  private static func picture(
    _ look: Look, isFlash: Bool, at time: Int64, _ random: inout some RandomNumberGenerator
  ) -> VideoFrame? {
    guard var frame = try? VideoFrame(width: look.width, height: look.height, timestamp: MediaTime(microseconds: time)) else {
      return nil
    }
    frame.fill(YUVColour(y: isFlash ? 235 : 16, u: look.blue, v: look.red))
    guard !isFlash else { return frame }
    frame.withMutablePlanes { planes in
      let rows = UnsafeMutableRawPointer(planes.y)
      noise.withUnsafeBytes { noise in
        for row in 0..<planes.height {
          let start = Int.random(in: 0...(noise.count - planes.width), using: &random)
          UnsafeMutableRawBufferPointer(start: rows + row * planes.yStride, count: planes.width)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: noise[start..<start + planes.width]))
        }
      }
    }
    return frame
  }
}

/// The times of a recording's flashes and beeps, in seconds.
struct FlashesAndBeeps {
  let flashes: [Double]
  let beeps: [Double]

  init(_ file: String) throws {
    let graph =
      "movie=\(file):s=dv+da[v][a];[v]signalstats[out0];[a]aformat=channel_layouts=mono,asetnsamples=n=240,"
      + "astats=metadata=1:reset=1[out1]"
    let output = try run([
      "ffprobe", "-v", "quiet", "-f", "lavfi", "-i", graph, "-of", "compact=p=0:nk=0", "-show_entries",
      "frame=media_type,pts_time:frame_tags=lavfi.signalstats.YAVG,lavfi.astats.Overall.RMS_level",
    ])
    var flashes: [Double] = []
    var beeps: [Double] = []
    var isWhite = false
    var lastPicture = -1.0
    var isLoud = false
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      var fields: [Substring: Substring] = [:]
      for field in line.split(separator: "|") {
        let parts = field.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { fields[parts[0]] = parts[1] }
      }
      guard let time = fields["pts_time"].flatMap({ Double($0) }) else { continue }
      if let luma = fields["tag:lavfi.signalstats.YAVG"].flatMap({ Double($0) }) {
        // After a gap, this is not necessarily the flash's first picture.
        if luma > 128, !isWhite, time - lastPicture < 0.1 { flashes.append(time) }
        isWhite = luma > 128
        lastPicture = time
      } else if let level = fields["tag:lavfi.astats.Overall.RMS_level"].map({ Double($0) ?? -200 }) {
        if level > -30, !isLoud { beeps.append(time) }
        isLoud = level > -30
      }
    }
    self.flashes = flashes
    self.beeps = beeps
  }

  /// Seconds from the nearest flash to each beep.
  var offsets: [Double] {
    beeps.compactMap { beep in flashes.map { beep - $0 }.min { abs($0) < abs($1) } }.filter { abs($0) < 0.5 }
  }
}
