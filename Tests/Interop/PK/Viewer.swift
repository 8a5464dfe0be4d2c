import Codecs
import Foundation
import Peers

/// ffmpeg as a viewer that writes down what it gets, as it is, until the stream ends.
final class Viewer {
  private let file = FileManager.default.temporaryDirectory.appending(path: "viewer-\(UUID().uuidString).flv").path
  private let program: Program

  init(_ url: String) throws {
    // Without a flush after each packet it writes 256 KiB at a time, which is many seconds of a small picture.
    program = try Program(
      "ffmpeg", ["-nostdin", "-loglevel", "error", "-y", "-i", url, "-c", "copy", "-flush_packets", "1", file])
  }

  deinit {
    program.stop()
    try? FileManager.default.removeItem(atPath: file)
  }

  var isWatching: Bool {
    let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
    return size ?? 0 > 20_000
  }

  /// What it saw and heard, once the stream has ended.
  func seen() async throws -> Seen {
    guard try await program.finish(within: .seconds(30)) == 0 else { throw ProgramFailure(what: program.text) }
    return try Seen(file)
  }
}

/// What a viewer saw and heard of an anchor, alone and in PK.
struct Seen {
  /// Pictures of one look, in seconds of the stream.
  struct Run {
    /// "red" for a whole picture, "red|blue" for a split screen.
    let look: String
    let from: Double
    var to: Double
  }

  /// 100 ms of sound.
  private static let window = 0.1
  private static let rate = 8000

  let recording: Recording
  let runs: [Run]
  /// Mono at 8 kHz, and the time at which it begins.
  private let sound: (samples: [Int16], start: Double)

  init(_ file: String) throws {
    recording = try Recording(file)
    let looks = try Sides(file).looks
    var runs: [Run] = []
    // A picture that could not be decoded would be missing in the looks alone.
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

  /// What was seen, in order. A half whose first picture takes a moment to come, or whose key frame does, is empty so long: that is
  /// passed over where it is less than a second and a half.
  var looks: [String] {
    var looks: [String] = []
    for run in runs where run.look != looks.last && !(run.look.contains("none") && run.to - run.from < 1.5) {
      looks.append(run.look)
    }
    return looks
  }

  /// How often a half was empty for a moment.
  var blanks: Int { runs.count { $0.look.contains("none") && $0.to - $0.from < 1.5 } }

  /// Pieces of 100 ms in which a tone is heard, of all within a run; what is less than `margin` seconds from its ends is left out.
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
