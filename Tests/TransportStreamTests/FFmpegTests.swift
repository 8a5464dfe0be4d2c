import Foundation
import RoomPeers
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomTransportStream

/// Files of ffmpeg, with pictures that refer to later ones, and sound.
final class FFmpegFiles {
  let folder = FileManager.default.temporaryDirectory.appending(path: "ts-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }
  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

  /// Runs a program and returns its output and its errors.
  func run(_ program: String, _ arguments: [String]) async throws -> String {
    let program = try Program(program, arguments)
    #expect(try await program.finish() == 0, "\(program.text)")
    return program.text
  }
}

/// Reads all frames of a transport stream, in pieces of a length that is no multiple of a packet.
func frames(_ bytes: [UInt8], pieces: Int = 1000) -> (frames: [TransportStreamFrame], counters: TransportStreamDemuxer.Counters)
{
  var demuxer = TransportStreamDemuxer()
  var frames: [TransportStreamFrame] = []
  for start in stride(from: 0, to: bytes.count, by: pieces) {
    bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { demuxer.receive($0) }
    while let frame = demuxer.nextFrame() { frames.append(frame) }
  }
  return (frames, demuxer.counters)
}

func pictures(_ frames: [TransportStreamFrame]) -> [[UInt8]] {
  frames.compactMap { if case .picture(let unit, _, _, _, _) = $0 { unit } else { nil } }
}

func sounds(_ frames: [TransportStreamFrame]) -> [[UInt8]] {
  frames.compactMap { if case .sound(let sound, _, _) = $0 { sound } else { nil } }
}

@Suite("Transport streams and ffmpeg", .enabled(if: Program.path("ffmpeg") != nil))
struct FFmpegTests {
  private static let source = [
    "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25", "-f", "lavfi", "-i", "sine=sample_rate=44100",
    "-t", "3", "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-bf", "2", "-c:a", "aac", "-b:a", "96k", "-ac", "2",
  ]

  @Test("what ffmpeg wrote is read: the same access units, the same AAC frames, the same times")
  func demux() async throws {
    let files = try FFmpegFiles()
    _ = try await files.run("ffmpeg", Self.source + ["-f", "mpegts", files.path("in.ts")])
    _ = try await files.run(
      "ffmpeg", ["-v", "error", "-i", files.path("in.ts"), "-c", "copy", "-an", "-f", "h264", files.path("v")])
    _ = try await files.run(
      "ffmpeg", ["-v", "error", "-i", files.path("in.ts"), "-c", "copy", "-vn", "-f", "adts", files.path("a")])
    let (read, counters) = frames(try files.bytes("in.ts"))
    #expect(counters.gaps == 0 && counters.malformed == 0 && counters.lost == 0)
    // The last picture ends with the stream, which has no end in a broadcast.
    #expect(pictures(read).count >= 74)
    #expect(try files.bytes("v").starts(with: pictures(read).joined()))
    var rest = try files.bytes("a")[...]
    for sound in sounds(read) {
      let header = try #require(ADTSHeader(rest))
      #expect(Array(rest.prefix(header.frameLength).dropFirst(header.length)) == sound)
      rest = rest.dropFirst(header.frameLength)
    }
    #expect(sounds(read).count > 120)
    let text = try await files.run(
      "ffprobe",
      ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pts,dts", "-of", "csv=p=0", files.path("in.ts")])
    let probed = text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Int64($0) } }
    let own = read.compactMap { frame -> [Int64]? in
      guard case .picture(_, _, let decoding, let presentation, _) = frame else { return nil }
      return [presentation.microseconds, decoding.microseconds]
    }
    #expect(own == probed.prefix(own.count).map { $0.map { MediaTime(ticks: $0, rate: 90_000).microseconds } })
  }

  @Test("ffprobe reads what the muxer wrote without a complaint, and ffmpeg decodes the same frames")
  func mux() async throws {
    let files = try FFmpegFiles()
    _ = try await files.run("ffmpeg", Self.source + ["-f", "mpegts", files.path("in.ts")])
    let (read, _) = frames(try files.bytes("in.ts"))
    var (messages, muxer) = (StreamMessages(), MessageMuxer(hasVideo: true, hasAudio: true))
    var written: [UInt8] = []
    for frame in read { for message in messages.messages(of: frame) { written += muxer.packets(of: message) } }
    written += muxer.flush()
    #expect(written.count % 188 == 0)
    try Data(written).write(to: files.folder.appending(path: "out.ts"))
    #expect(
      try await files.run(
        "ffprobe", ["-v", "warning", "-show_entries", "stream=index", "-of", "csv=p=0", files.path("out.ts")]
      )
      .split(separator: "\n").allSatisfy { ["0", "1", ""].contains($0) })
    #expect(try await files.run("ffmpeg", ["-v", "error", "-xerror", "-i", files.path("out.ts"), "-f", "null", "-"]) == "")
    let (again, counters) = frames(written, pieces: 1316)
    #expect(counters.gaps == 0 && counters.malformed == 0)
    #expect(sounds(again) == sounds(read) && pictures(again).count == pictures(read).count)
    let steps = again.compactMap { if case .sound(_, _, let time) = $0 { time } else { nil } }
    #expect(zip(steps, steps.dropFirst()).allSatisfy { abs($1 - $0 - 23_220) < 1500 })
  }

  @Test("pictures that begin after the sound are announced by a new map; nothing of the sound is lost")
  func laterPictures() async throws {
    let files = try FFmpegFiles()
    _ = try await files.run("ffmpeg", Self.source + ["-f", "mpegts", files.path("in.ts")])
    let (read, _) = frames(try files.bytes("in.ts"))
    var messages = StreamMessages()
    let all = read.flatMap { messages.messages(of: $0) }
    func isPicture(_ message: MediaMessage) -> Bool {
      message.kind == .video && message.payload.withUnsafeBytes { VideoTag(parsing: $0)?.isSequenceHeader } == false
    }
    // The header arrives with the second key frame.
    let begin = try #require(all.filter { isPicture($0) && $0.payload[0] >> 4 == 1 }.dropFirst().first)
    let header = try #require(all.first { $0.kind == .video && !isPicture($0) })
    var muxer = MessageMuxer(hasVideo: false, hasAudio: false)
    var written: [UInt8] = []
    var hasBegun = false
    for message in all {
      if message == begin { (hasBegun, written) = (true, written + muxer.packets(of: header)) }
      if message.kind == .audio || hasBegun { written += muxer.packets(of: message) }
    }
    written += muxer.flush()
    let (again, counters) = frames(written, pieces: 1316)
    #expect(counters.gaps == 0 && counters.malformed == 0)
    #expect(
      again.filter { if case .program = $0 { true } else { false } }
        == [.program(hasVideo: false, hasAudio: true), .program(hasVideo: true, hasAudio: true)])
    #expect(sounds(again) == sounds(read) && (45...51).contains(pictures(again).count))
    try Data(written).write(to: files.folder.appending(path: "out.ts"))
    #expect(try await files.run("ffmpeg", ["-v", "error", "-xerror", "-i", files.path("out.ts"), "-f", "null", "-"]) == "")
  }

  @Test("a stream begins with both headers; pictures wait a second for sound, and sound five seconds for pictures")
  func beginning() async throws {
    let files = try FFmpegFiles()
    _ = try await files.run("ffmpeg", Self.source + ["-t", "8", "-f", "mpegts", files.path("in.ts")])
    let (read, _) = frames(try files.bytes("in.ts"))
    let program = TransportStreamFrame.program(hasVideo: true, hasAudio: true)
    #expect(read.first == program)
    let pictures = read.filter { if case .picture = $0 { true } else { false } }
    let sounds = read.filter { if case .sound = $0 { true } else { false } }
    func kinds(_ messages: [MediaMessage]) -> [MediaMessage.Kind] { messages.map(\.kind) }

    var messages = StreamMessages()
    #expect(([program] + pictures.prefix(3)).flatMap { messages.messages(of: $0) }.isEmpty)
    #expect(kinds(messages.messages(of: sounds[0])) == [.video, .audio, .video, .video, .video, .audio])
    #expect(kinds(messages.messages(of: pictures[3])) == [.video])

    var silent = StreamMessages()
    let counts = ([program] + pictures).map { silent.messages(of: $0).count }
    #expect(counts.firstIndex { $0 > 0 } == 27 && counts[27] == 28 && counts[28...].allSatisfy { $0 > 0 })

    // The stream is joined three seconds before its next key frame.
    var joined = StreamMessages()
    let early = sounds.prefix(130)
    #expect(([program] + early).flatMap { joined.messages(of: $0) }.isEmpty)
    let begin = kinds(joined.messages(of: pictures[75]))
    #expect(begin.prefix(2) == [.audio, .video] && (45...48).contains(begin.count) && begin.last == .video)

    var dark = StreamMessages()
    let dropped = ([program] + sounds).prefix { dark.messages(of: $0).isEmpty }.count
    #expect((215...218).contains(dropped), "five seconds of sound")
    var video = StreamMessages()
    #expect(video.messages(of: .program(hasVideo: true, hasAudio: false)).isEmpty)
    #expect(kinds(video.messages(of: pictures[0])) == [.video, .video])
  }

  @Test("a lost packet costs its frame; video resumes at the next key frame; garbage between packets is skipped")
  func loss() async throws {
    let files = try FFmpegFiles()
    _ = try await files.run("ffmpeg", Self.source + ["-f", "mpegts", files.path("in.ts")])
    let whole = try files.bytes("in.ts")
    let packets = stride(from: 0, to: whole.count - 187, by: 188).map { Array(whole[$0..<($0 + 188)]) }
    var damaged: [UInt8] = []
    var lost = 0
    for (index, packet) in packets.enumerated() {
      let isPicture = packet[1] & 0x5f == 1 && packet[2] == 0
      if index > packets.count / 2, isPicture, lost == 0 { lost += 1 } else { damaged += packet }
      if index == packets.count / 4 { damaged += [1, 2, 3, 0x47, 5] }
    }
    let (clean, _) = frames(whole)
    let (read, counters) = frames(damaged)
    #expect(lost == 1 && counters.gaps >= 1 && counters.lost >= 1 && counters.malformed >= 1)
    #expect(pictures(read).count < pictures(clean).count && pictures(read).count > pictures(clean).count / 2)
    #expect(sounds(read).count > sounds(clean).count - 40)
    // Each hole ends with a key frame.
    let known = Set(pictures(clean))
    #expect(pictures(read).allSatisfy { known.contains($0) })
  }
}
