import RoomPeers
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomTransportStream

@Suite("Programs and their changes", .enabled(if: Program.path("ffmpeg") != nil))
struct ProgramTests {
  private static func steps(_ times: [MediaTime]) -> [Int64] { zip(times, times.dropFirst()).map { $1 - $0 } }

  @Test("a map that brings other codecs and PIDs is followed, with new sequence headers and on one timeline")
  func otherCodecs() async throws {
    let files = try FFmpegFiles()
    let first = try await stream(files, audio: ["-c:a", "aac"])
    let second = try await stream(
      files, video: ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=25:bframes=0"],
      audio: ["-c:a", "libopus"], output: ["-mpegts_start_pid", "0x200"], name: "second.ts")
    let third = try await stream(files, audio: ["-c:a", "mp2"], name: "third.ts")
    let (read, counters) = frames(first + second + third)
    #expect(counters.malformed == 0 && counters.jumps >= 2)
    #expect(read.filter { $0 == .program(hasVideo: true, hasAudio: true) }.count == 3)
    let messages = messages(read)
    let video = messages.filter { $0.kind == .video }.compactMap { message in
      message.payload.withUnsafeBytes { VideoTag(parsing: $0) }
    }
    #expect(video.filter(\.isSequenceHeader).map(\.track.codec) == [.avc, .fourCC(.hevc), .avc])
    // MPEG audio has no header. An empty one replaces that of Opus.
    #expect(
      audioTags(messages).filter(\.isSequenceHeader).map(\.track.codec) == [.aac, .fourCC(.opus), .fourCC(.mp3)])
    #expect(audioTags(messages).last?.track.codec == .other(2))
    #expect(Self.steps(pictureTimes(read)).allSatisfy { (1...300_000).contains($0) })
    #expect(Self.steps(soundTimes(read)).allSatisfy { (1...300_000).contains($0) })
  }

  @Test("sound that disappears and appears again is followed while the pictures go on")
  func otherKinds() async throws {
    let files = try FFmpegFiles()
    let both = try await stream(files, audio: ["-c:a", "aac"])
    let silent = try await stream(files, audio: ["-an"], name: "silent.ts")
    let (read, _) = frames(both + silent + both)
    let programs = read.compactMap { if case .program(_, let hasAudio) = $0 { hasAudio } else { nil } }
    #expect(programs == [true, false, true])
    #expect(pictures(read).count > 210 && Self.steps(pictureTimes(read)).allSatisfy { (1...300_000).contains($0) })
    #expect(Self.steps(soundTimes(read)).contains { (2_500_000...3_500_000).contains($0) })
  }

  private func twoPrograms(_ files: FFmpegFiles) async throws -> [UInt8] {
    _ = try await files.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25", "-f", "lavfi", "-i", "sine", "-f", "lavfi",
        "-i", "testsrc2=size=320x192:rate=25", "-t", "3", "-map", "0:v", "-map", "1:a", "-map", "2:v", "-map", "1:a",
        "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-c:a:0", "aac", "-c:a:1", "mp2", "-program",
        "program_num=7:st=0:st=1", "-program", "program_num=9:st=2:st=3", "-f", "mpegts", files.path("two.ts"),
      ])
    return try files.bytes("two.ts")
  }

  @Test("of several programs, the first is read, or the one that is named; one that does not exist gives nothing")
  func several() async throws {
    let bytes = try await twoPrograms(try FFmpegFiles())
    func read(_ program: Int?) -> (frames: [TransportStreamFrame], programs: [Int]?, hasProgram: Bool) {
      var demuxer = TransportStreamDemuxer(program: program)
      bytes.withUnsafeBytes { demuxer.receive($0) }
      var frames: [TransportStreamFrame] = []
      while let frame = demuxer.nextFrame() { frames.append(frame) }
      return (frames, demuxer.programs, demuxer.hasProgram)
    }
    let (first, second, missing) = (read(7), read(9), read(8))
    #expect(read(nil).frames == first.frames)
    if case .aac? = formats(first.frames).first {} else { Issue.record("program 7 has AAC") }
    if case .mpegAudio(2, _, _)? = formats(second.frames).first {} else { Issue.record("program 9 has MPEG audio") }
    #expect(pictures(first.frames).count > 70 && pictures(second.frames).count > 70)
    #expect(pictures(first.frames) != pictures(second.frames))
    #expect(missing.frames.isEmpty && missing.programs == [7, 9] && !missing.hasProgram)
  }

  @Test(
    "a table that drops the program that is read leads to its first one; another order of the same programs changes nothing")
  func otherPrograms() {
    func section(_ version: UInt8, _ numbers: [Int]) -> ProgramTables.Association {
      .init(version: version, section: 0, lastSection: 0, programs: numbers.map { ($0, 0x1000 + $0) })
    }
    var table = ProgramAssociation()
    let changes = [table.take(section(0, [1, 2])), table.take(section(0, [1, 2]))]
    #expect(changes == [true, false])
    #expect(table.selection(wanted: nil, current: nil)?.number == 1)
    _ = table.take(section(1, [2, 1]))
    #expect(table.selection(wanted: nil, current: 1)?.number == 1)
    _ = table.take(section(2, [2, 3]))
    #expect(table.selection(wanted: nil, current: 1)?.number == 2)
    #expect(table.selection(wanted: 1, current: 1) == nil)
    // Half a table is no table.
    _ = table.take(.init(version: 3, section: 1, lastSection: 1, programs: [(4, 0x400)]))
    #expect(!table.isComplete)
  }

  @Test("a file that loops goes on at once each time, with sound and pictures in step", arguments: [2, 7])
  func loop(seconds: Int) async throws {
    let files = try FFmpegFiles()
    let bytes = try await stream(
      files, video: ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-bf", "2"], audio: ["-c:a", "aac"],
      seconds: seconds)
    let (once, _) = frames(bytes)
    let (read, counters) = frames(bytes + bytes + bytes)
    #expect(counters.jumps == 2)
    #expect(Self.steps(pictureTimes(read)).allSatisfy { (1...200_000).contains($0) })
    #expect(Self.steps(soundTimes(read)).allSatisfy { (1...200_000).contains($0) })
    // The same pictures and the same sound are as far apart in the last round as in the first.
    let (picture, sound) = try (#require(pictures(once).dropFirst(30).first), #require(sounds(once).dropFirst(60).first))
    func distances() -> [Int64] {
      let shown = read.compactMap { frame -> MediaTime? in
        if case .picture(picture, _, let time, _, _) = frame { time } else { nil }
      }
      let heard = read.compactMap { frame -> MediaTime? in if case .sound(sound, _, let time) = frame { time } else { nil } }
      return zip(shown, heard).map { $0 - $1 }
    }
    let rounds = distances()
    #expect(rounds.count == 3 && rounds.allSatisfy { abs($0 - rounds[0]) < 100 }, "\(rounds)")
  }
}

@Suite("Timeline of a program")
struct ProgramTimelineTests {
  /// Feeds seconds of pictures and sound, the sound behind by `lag` seconds of arrival.
  private func run(_ timeline: inout ProgramTimeline, from start: Int64, seconds: Int64, lag: Int64 = 10) -> (
    pictures: [Int64], sounds: [Int64]
  ) {
    var (pictures, sounds): ([Int64], [Int64]) = ([], [])
    func wrapped(_ tick: Int64) -> Int64 { tick & 0x1_ffff_ffff }
    for index in 0..<(seconds * 25 + lag) {
      if index < seconds * 25 {
        let stamp = wrapped(start + index * 3600)
        pictures.append(timeline.times(presentation: stamp, decoding: stamp).decoding.microseconds)
      }
      guard index >= lag else { continue }
      let time = timeline.soundTime(of: wrapped(start + (index - lag) * 3600))
      if timeline.admits(soundAt: time, lasting: 40_000) { sounds.append(time.microseconds) }
    }
    return (pictures, sounds)
  }

  @Test("timestamps that wrap are no jump")
  func wrap() {
    var timeline = ProgramTimeline()
    let (pictures, sounds) = run(&timeline, from: 0x1_ffff_ffff - 90_000, seconds: 4)
    #expect(zip(pictures, pictures.dropFirst()).allSatisfy { abs($1 - $0 - 40_000) <= 1 })
    #expect(pictures == sounds && timeline.jumps == 0)
  }

  @Test("a clock that jumps by four seconds or by hours goes on after one frame", arguments: [-4, -1, 4, 3600, -3600, 40_000])
  func jump(seconds: Int64) {
    var timeline = ProgramTimeline()
    let start: Int64 = 5_000_000_000
    let first = run(&timeline, from: start, seconds: 5)
    let second = run(&timeline, from: start + 450_000 + seconds * 90_000, seconds: 5)
    #expect(timeline.jumps == 1)
    #expect(abs((second.pictures.first ?? 0) - (first.pictures.last ?? 0) - 40_000) <= 1)
    #expect(second.pictures == second.sounds, "in step")
  }

  @Test("a smaller gap stays a gap, unless a discontinuity was announced")
  func announced() {
    for isAnnounced in [false, true] {
      var timeline = ProgramTimeline()
      let first = run(&timeline, from: 0, seconds: 5)
      if isAnnounced { timeline.announceDiscontinuity() }
      let second = run(&timeline, from: 450_000 + 180_000, seconds: 5)
      let step = (second.pictures.first ?? 0) - (first.pictures.last ?? 0)
      #expect(abs(step - (isAnnounced ? 40_000 : 2_040_000)) <= 1)
      #expect(second.pictures == second.sounds && timeline.jumps == (isAnnounced ? 1 : 0))
    }
  }

  @Test("sound that still arrives from before the jump keeps its old time")
  func late() {
    var timeline = ProgramTimeline()
    _ = run(&timeline, from: 900_000, seconds: 2, lag: 5)
    // The last sound was at 900,000 + 49 · 3600.
    let picture = timeline.times(presentation: 90_000, decoding: 90_000).decoding
    let late = timeline.soundTime(of: 900_000 + 50 * 3600)
    let new = timeline.soundTime(of: 90_000)
    #expect(late.microseconds == 12_000_000 && picture.microseconds == 12_000_000 && new == picture && timeline.jumps == 1)
  }

  @Test("pictures that pause for minutes while sound goes on are no jump")
  func pause() {
    var timeline = ProgramTimeline()
    _ = run(&timeline, from: 0, seconds: 1)
    for index in 0..<3000 { _ = timeline.soundTime(of: 90_000 + Int64(index) * 3600) }
    let stamp: Int64 = 90_000 + 3000 * 3600
    #expect(timeline.times(presentation: stamp, decoding: stamp).decoding.microseconds == 121_000_000)
    #expect(timeline.jumps == 0)
  }
}
