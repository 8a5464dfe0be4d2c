import Foundation

/// The result of decoding a recording with ffmpeg.
struct PlayedFile {
  struct Stream: Decodable {
    var codec_name: String?
    var codec_type: String?
    var width: Int?
    var height: Int?
    var channels: Int?
  }
  private struct Packet: Decodable {
    var codec_type: String
    var dts_time: String?
    var flags: String
  }
  private struct Answer: Decodable {
    var streams: [Stream]?
    var packets: [Packet]?
  }

  let streams: [Stream]
  /// The picture times in s.
  let pictures: [Double]
  let sounds: [Double]
  let beginsWithKeyFrame: Bool
  /// The widths of the decoded pictures in pixels.
  let widths: [Int]
  /// The errors that ffmpeg reported while decoding.
  let decodingErrors: String

  init(_ path: String) throws {
    let answer = try JSONDecoder().decode(
      Answer.self, from: Self.run(["ffprobe", "-v", "quiet", "-of", "json", "-show_streams", "-show_packets", path]).output)
    streams = answer.streams ?? []
    let packets = answer.packets ?? []
    func times(_ kind: String) -> [Double] {
      packets.filter { $0.codec_type == kind }.map { Double($0.dts_time ?? "") ?? .nan }
    }
    pictures = times("video")
    sounds = times("audio")
    beginsWithKeyFrame = packets.first { $0.codec_type == "video" }?.flags.hasPrefix("K") == true
    // Not ffprobe: it crashes (SIGSEGV, 5.1) when it shows the frames of some files that end within a picture.
    let decoded = try Self.run([
      "ffmpeg", "-nostdin", "-nostats", "-v", "info", "-i", path, "-map", "0:v?", "-vf", "showinfo", "-fps_mode",
      "passthrough", "-f", "null", "-",
    ])
    widths = String(decoding: decoded.errors, as: UTF8.self).split(separator: "\n").compactMap(Self.width)
    decodingErrors = String(
      decoding: try Self.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "null", "-"]).errors, as: UTF8.self)
  }

  var video: Stream? { streams.first { $0.codec_type == "video" } }
  var audio: Stream? { streams.first { $0.codec_type == "audio" } }

  /// Returns the intervals in s.
  static func steps(_ times: [Double]) -> [Double] { zip(times.dropFirst(), times).map(-) }

  /// Returns the width in a line that ffmpeg's `showinfo` prints for a picture; nil for other lines.
  private static func width(_ line: Substring) -> Int? {
    line.wholeMatch(of: /\[Parsed_showinfo.*\] n: *\d+ .* s:(\d+)x\d+ .*/).flatMap { Int($0.1) }
  }

  private static func run(_ arguments: [String]) throws -> (output: Data, errors: Data) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let errors = FileManager.default.temporaryDirectory.appending(path: "errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (data, try Data(contentsOf: errors))
  }
}

/// A temporary directory for one test.
final class TemporaryDirectory {
  let path = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  @discardableResult func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    return file(name)
  }
}
