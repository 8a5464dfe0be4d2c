import RoomPeers
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomTransportStream

/// A stream of three seconds that ffmpeg writes, with a tone and pictures of these codecs.
func stream(
  _ files: FFmpegFiles, video: [String] = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25"], audio: [String],
  output: [String] = [], name: String = "in.ts", seconds: Int = 3
) async throws -> [UInt8] {
  _ = try await files.run(
    "ffmpeg",
    [
      "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25", "-f", "lavfi", "-i", "sine=sample_rate=48000",
      "-t", "\(seconds)",
    ] + video + audio + output + ["-f", "mpegts", files.path(name)])
  return try files.bytes(name)
}

func messages(_ frames: [TransportStreamFrame]) -> [MediaMessage] {
  var messages = StreamMessages()
  return frames.flatMap { messages.messages(of: $0) }
}

func formats(_ frames: [TransportStreamFrame]) -> [SoundFormat] {
  frames.reduce(into: []) { formats, frame in
    if case .sound(_, let format, _) = frame, formats.last != format { formats.append(format) }
  }
}

func soundTimes(_ frames: [TransportStreamFrame]) -> [MediaTime] {
  frames.compactMap { if case .sound(_, _, let time) = $0 { time } else { nil } }
}

func pictureTimes(_ frames: [TransportStreamFrame]) -> [MediaTime] {
  frames.compactMap { if case .picture(_, _, let time, _, _) = $0 { time } else { nil } }
}

func audioTags(_ messages: [MediaMessage]) -> [AudioTag] {
  messages.filter { $0.kind == .audio }.compactMap { message in message.payload.withUnsafeBytes { AudioTag(parsing: $0) } }
}

@Suite("Codecs in transport streams", .enabled(if: Program.path("ffmpeg") != nil))
struct CodecTests {
  @Test("HEVC with leading pictures becomes enhanced RTMP with a decoder configuration; each key frame carries its sets")
  func hevc() async throws {
    let files = try FFmpegFiles()
    let bytes = try await stream(
      files, video: ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=25:open-gop=1"],
      audio: ["-c:a", "aac"])
    let (read, counters) = frames(bytes)
    #expect(counters.malformed == 0 && counters.lost == 0 && counters.gaps == 0)
    #expect(pictures(read).count >= 74 && sounds(read).count > 130)
    let video = messages(read).filter { $0.kind == .video }
    let tags = video.compactMap { message in message.payload.withUnsafeBytes { VideoTag(parsing: $0) } }
    #expect(tags.count == pictures(read).count + 1 && tags.allSatisfy { $0.track.codec == .fourCC(.hevc) })
    #expect(tags.first?.isSequenceHeader == true && tags.filter(\.isSequenceHeader).count == 1)
    #expect(tags.filter(\.isKeyFrame).count == 3)
    #expect(tags.contains { $0.track.compositionTime > 0 })
    // What libavformat writes for the same sets, apart from its statement about segments and completeness.
    _ = try await files.run(
      "ffmpeg", ["-v", "error", "-i", files.path("in.ts"), "-c", "copy", "-an", "-f", "mp4", files.path("v.mp4")])
    let file = try files.bytes("v.mp4")
    let box = try #require((4..<file.count).first { Array(file[$0..<min($0 + 4, file.count)]) == Array("hvcC".utf8) })
    let record = try #require(video.first).payload.dropFirst(5)
    #expect(Array(record.prefix(13)) == Array(file[(box + 4)..<(box + 17)]))
    #expect(Array(record.dropFirst(16).prefix(3)) == Array(file[(box + 20)..<(box + 23)]))
  }

  @Test("AAC in LATM gives the frames and the configuration of AAC in ADTS")
  func latm() async throws {
    let files = try FFmpegFiles()
    let audio = ["-c:a", "aac", "-b:a", "96k", "-ac", "2"]
    let (adts, _) = frames(try await stream(files, audio: audio))
    let (latm, counters) = frames(try await stream(files, audio: audio, output: ["-mpegts_flags", "latm"], name: "latm.ts"))
    #expect(counters.malformed == 0)
    #expect(sounds(latm) == sounds(adts) && sounds(latm).count > 130)
    guard case .aac(let configuration)? = formats(latm).first else {
      Issue.record("no AAC")
      return
    }
    let (own, plain) = try (
      #require(configuration.withUnsafeBytes { AudioSpecificConfig(parsing: $0) }),
      AudioSpecificConfig(sampleRate: 48_000, channels: 2)
    )
    #expect(own == plain && formats(latm).count == 1)
    let times = soundTimes(latm)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 21_333) < 100 })
  }

  @Test("Opus arrives in packets of 20 ms, with its channels in the OpusHead", arguments: [1, 2, 6])
  func opus(channels: Int) async throws {
    let files = try FFmpegFiles()
    let (read, counters) = frames(
      try await stream(files, audio: ["-c:a", "libopus", "-ac", "\(channels)", "-b:a", "\(64 * channels)k"]))
    #expect(counters.malformed == 0 && sounds(read).count > 140)
    guard case .opus(let head)? = formats(read).first else {
      Issue.record("no Opus")
      return
    }
    #expect(head.starts(with: Array("OpusHead".utf8)) && head[9] == channels && (head.count == 19) == (channels <= 2))
    let times = soundTimes(read)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 20_000) < 100 })
    let tags = audioTags(messages(read))
    #expect(tags.first?.isSequenceHeader == true && tags.allSatisfy { $0.track.codec == .fourCC(.opus) })
  }

  @Test(
    "MPEG audio and AC-3 arrive in the frames that ffmpeg wrote",
    arguments: [("mp2", "mp2", 24_000), ("libmp3lame", "mp3", 24_000), ("ac3", "ac3", 32_000), ("eac3", "eac3", 32_000)])
  func frame(encoder: String, format: String, duration: Int64) async throws {
    let files = try FFmpegFiles()
    let (read, counters) = frames(try await stream(files, audio: ["-c:a", encoder, "-b:a", "128k", "-ac", "2"]))
    #expect(counters.malformed == 0 && sounds(read).count > 85)
    _ = try await files.run(
      "ffmpeg",
      [
        "-v", "error", "-i", files.path("in.ts"), "-c", "copy", "-vn", "-write_xing", "0", "-id3v2_version", "0", "-f", format,
        files.path("a"),
      ].filter { format == "mp3" || !["-write_xing", "0", "-id3v2_version"].contains($0) })
    #expect(try files.bytes("a").starts(with: sounds(read).joined()))
    let times = soundTimes(read)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - duration) < 100 })
    let tags = audioTags(messages(read))
    let codec: AudioTag.Codec =
      switch format {
      case "ac3": .fourCC(.ac3)
      case "eac3": .fourCC(.eac3)
      default: .other(2)
      }
    #expect(tags.count == sounds(read).count && tags.allSatisfy { $0.track.codec == codec && !$0.isSequenceHeader })
  }

  @Test("another codec is stated by its name, for pictures and for sound")
  func unsupported() async throws {
    let files = try FFmpegFiles()
    let video = try await stream(files, video: ["-c:v", "mpeg2video"], audio: ["-c:a", "aac"])
    #expect(frames(video).frames.contains(.unsupported("MPEG-2 video", isVideo: true)))
    let sound = try await stream(files, audio: ["-c:a", "dca", "-strict", "-2"])
    #expect(frames(sound).frames.contains(.unsupported("DTS", isVideo: false)))
    let data = StreamCodec(.init(type: 0x06, pid: 1))
    #expect(data == .data("private data (stream type 0x06) without a descriptor that names its codec"))
    #expect(StreamCodec(.init(type: 0x33, pid: 1)) == .unsupported("VVC", isVideo: true))
  }

  @Test("LATM beyond the common subset is refused by its name")
  func refusedLATM() {
    // One layer more than accepted; a frame of 960 samples; an object type of its own.
    func element(_ bits: String) -> LATMReader.Element {
      let padded = bits.filter { $0 != " " } + String(repeating: "0", count: 64)
      let bytes = stride(from: 0, to: padded.count - 7, by: 8).compactMap { UInt8(padded.dropFirst($0).prefix(8), radix: 2) }
      var reader = LATMReader()
      return reader.read(bytes[...])
    }
    #expect(element("0 0 1 000000 0000 001") == .refused("AAC with several programs or layers in LATM"))
    #expect(element("0 0 0 000000 0000 000") == .refused("AAC with several timings in LATM"))
    #expect(element("0 0 1 000000 0000 000 00010 0011 0010 1 0 0") == .refused("AAC with frames of 960 samples in LATM"))
    #expect(element("0 0 1 000000 0000 000 10111 0011 0010") == .refused("AAC with object type 23 in LATM"))
    #expect(
      element("0 0 1 000000 0000 000 00010 0011 0010 000 001") == .refused("AAC with frame length type 1 in LATM"))
    #expect(element("1") == .frames([]))
  }

  @Test("after a loss, HEVC resumes at a key frame without the leading pictures that refer to lost ones")
  func leading() async throws {
    let files = try FFmpegFiles()
    let bytes = try await stream(
      files,
      video: ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=25:open-gop=1:bframes=4"],
      audio: ["-c:a", "aac"])
    let (whole, _) = frames(bytes)
    let isLeading = { (unit: [UInt8]) in HEVCUnit.pictureType(unit).map(HEVCUnit.skippedLeading.contains) ?? false }
    try #require(pictures(whole).contains(where: isLeading))
    // The stream is joined behind its first key frame.
    let (read, _) = frames(Array(bytes.dropFirst(188 * 30)))
    let first = try #require(pictures(read).first)
    #expect(HEVCUnit.pictureType(first).map(HEVCUnit.randomAccess.contains) == true)
    let next = pictures(read).dropFirst().prefix { HEVCUnit.pictureType($0).map(HEVCUnit.randomAccess.contains) != true }
    #expect(!next.isEmpty && !next.contains(where: isLeading))
  }
}
