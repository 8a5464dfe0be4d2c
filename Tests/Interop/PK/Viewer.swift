import RoomCodecs
import Foundation
import RoomPeers

/// Runs ffmpeg as a viewer that records the stream unchanged until it ends.
final class Viewer {
  private let file = FileManager.default.temporaryDirectory.appending(path: "viewer-\(UUID().uuidString).flv").path
  private let program: Program
  private let recording: GrowingRecording

  init(_ url: String) throws {
    recording = try GrowingRecording(file)
    // Without a flush after each packet, ffmpeg writes 256 KiB at a time, which is many seconds of a small picture.
    program = try Program(
      "ffmpeg",
      ["-nostdin", "-loglevel", "error", "-y", "-analyzeduration", "1M", "-i", url, "-c", "copy", "-flush_packets", "1", file])
  }

  deinit {
    program.stop()
    try? FileManager.default.removeItem(atPath: file)
  }

  var isWatching: Bool {
    let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
    return size ?? 0 > 20_000
  }

  /// Returns whether the viewer now sees this look, and has seen it for a number of seconds.
  func sees(_ look: String, for seconds: Double) throws -> Bool { try recording.shows(look, for: seconds) }

  /// Returns what was recorded, once the stream has ended.
  func seen() async throws -> Seen {
    guard try await program.finish(within: .seconds(30)) == 0 else { throw ProgramFailure(what: program.text) }
    return try Seen(file)
  }
}

/// The video and audio that a viewer received of an anchor, alone and in PK.
struct Seen {
  /// Consecutive pictures of one look, in seconds of the stream.
  struct Run {
    /// "red" for a full picture, "red|blue" for a split screen.
    let look: String
    let from: Double
    var to: Double
  }

  /// Duration of an analysed piece of audio, in seconds.
  private static let window = 0.1
  private static let rate = 8000

  let recording: Recording
  let runs: [Run]
  /// Mono samples at 8 kHz, and their start time in seconds.
  private let sound: (samples: [Int16], start: Double)

  init(_ file: String) throws {
    recording = try Recording(file)
    let looks = try Sides(file).looks
    var runs: [Run] = []
    // A picture that could not be decoded would otherwise be missing only in the looks.
    for (look, time) in zip(looks, recording.times("video")) {
      if let last = runs.indices.last, runs[last].look == look {
        runs[last].to = time
      } else {
        runs.append(Run(look: look, from: time, to: time))
      }
    }
    self.runs = runs
    let bytes = try run(
      ["ffmpeg", "-v", "error", "-i", file, "-vn", "-ac", "1", "-ar", "\(Self.rate)", "-f", "s16le", "-"])
    let samples = bytes.withUnsafeBytes { raw in
      (0..<raw.count / 2).map { Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)) }
    }
    sound = (samples, recording.times("audio").first ?? 0)
  }

  /// The looks in order. A half is briefly empty while its first picture or key frame is pending; that is ignored if it lasts
  /// less than 1.5 s.
  var looks: [String] {
    var looks: [String] = []
    for run in runs where run.look != looks.last && !(run.look.contains("none") && run.to - run.from < 1.5) {
      looks.append(run.look)
    }
    return looks
  }

  /// Number of times that a half was briefly empty.
  var blanks: Int { runs.count { $0.look.contains("none") && $0.to - $0.from < 1.5 } }

  /// Returns the number of 100 ms pieces within a run that contain a tone, and their total number. `margin` seconds at both
  /// ends are excluded.
  func hears(_ tone: Double, in run: Run, margin: Double = 0.4) -> (heard: Int, of: Int) {
    var (heard, all) = (0, 0)
    let length = Int(Self.window * Double(Self.rate))
    for time in stride(from: run.from + margin, through: run.to - margin - Self.window, by: Self.window) {
      let first = Int((time - sound.start) * Double(Self.rate))
      guard first >= 0, first + length <= sound.samples.count else { continue }
      all += 1
      if ToneDetector.amplitude(of: tone, in: sound.samples[first..<first + length], sampleRate: Self.rate) > 0.08 {
        heard += 1
      }
    }
    return (heard, all)
  }
}
