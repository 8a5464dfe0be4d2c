import Foundation
import RoomCodecs
import RoomPeers
import RoomTestSupport
import Testing

/// Runs ffmpeg as a server of RTMP or SRT that accepts one stream and records it until the publisher ends it.
final class RTMPSink {
  let url: String
  let port: UInt16
  /// The output file, removed with the sink.
  let file: String
  private let process = Process()
  private let recording: GrowingRecording

  /// - Parameter port: nil selects a free port. The file contains the original timestamps.
  init(
    port wanted: UInt16? = nil, overSRT: Bool = false, lookAt: @escaping (VideoFrame) -> String = { Sides.look(of: $0) }
  ) throws {
    port = try wanted ?? TCPPort.free()
    url = overSRT ? "srt://127.0.0.1:\(port)" : "rtmp://127.0.0.1:\(port)/live/anchor"
    let listening = overSRT ? ["-i", url + "?mode=listener"] : ["-listen", "1", "-i", url]
    file = FileManager.default.temporaryDirectory.appending(path: "sink-\(UUID().uuidString).flv").path
    recording = try GrowingRecording(file, lookAt: lookAt)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "ffmpeg", "-nostdin", "-loglevel", "error", "-y",
      ] + listening + ["-c", "copy", "-copyts", "-flush_packets", "1", file]
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(atPath: file)
  }

  /// Returns whether the recording now ends with pictures of one look that last for a number of seconds.
  func shows(_ look: String, for seconds: Double) throws -> Bool { try recording.shows(look, for: seconds) }

  /// Waits until the recording has a number of pictures and of audio packets.
  func receives(pictures: Int, audio: Int) async throws {
    try await eventually("\(pictures) pictures and \(audio) audio packets are recorded", within: .seconds(60)) {
      try recording.count(.video) >= pictures && recording.count(.audio) >= audio
    }
  }

  /// Waits for the publisher's end and returns the recording.
  func received() async throws -> Recording {
    try await eventually("ffmpeg has written the stream") { [process] in !process.isRunning }
    return try Recording(file)
  }
}

/// ffprobe's report of a file or a stream.
struct Recording {
  struct Stream: Decodable {
    var codec_name: String?
    var codec_type: String?
    var width: Int?
    var height: Int?
    var sample_rate: String?
    var channels: Int?
    var color_space: String?
    var color_range: String?
  }
  struct Packet: Decodable {
    var codec_type: String
    var dts_time: String?
    var pts_time: String?
    var flags: String?
    var dts: Double { Double(dts_time ?? "") ?? .nan }
  }
  private struct Answer: Decodable {
    var streams: [Stream]
    var packets: [Packet]
  }

  let streams: [Stream]
  let packets: [Packet]

  /// - Parameters:
  ///   - input: a path or URL.
  ///   - arguments: ffprobe options that precede the input.
  init(_ input: String, _ arguments: [String] = []) throws {
    let output = try run(
      ["ffprobe", "-v", "quiet", "-of", "json", "-show_streams", "-show_packets"] + arguments + [input])
    try self.init(json: output)
  }

  /// Parses ffprobe's output of `-of json -show_streams -show_packets`.
  init(json: Data) throws {
    let answer = try JSONDecoder().decode(Answer.self, from: json)
    streams = answer.streams
    packets = answer.packets
  }

  var video: Stream? { streams.first { $0.codec_type == "video" } }
  var audio: Stream? { streams.first { $0.codec_type == "audio" } }

  /// Returns the decoding times of one stream type, in seconds.
  func times(_ kind: String) -> [Double] { packets.filter { $0.codec_type == kind }.map(\.dts) }
  /// Returns the seconds between consecutive packets.
  func steps(_ kind: String) -> [Double] {
    let times = times(kind)
    return zip(times.dropFirst(), times).map(-)
  }
}

/// Runs a program and returns its output.
func run(_ arguments: [String]) throws -> Data {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  try process.run()
  let data = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return data
}
