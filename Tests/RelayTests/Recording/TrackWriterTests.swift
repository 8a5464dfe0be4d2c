import Foundation
import RoomCodecs
import RoomRTP
import RoomTestSupport
import Synchronization
import Testing

@testable import RoomRelay

@Suite("Files of single tracks")
struct TrackWriterTests {
  private static let step: Int64 = 6000

  /// Encodes a test picture, and returns its 15 frames per second as a publisher sends them.
  private func frames(
    _ codec: String, _ size: String, seconds: Int = 1, between keyFrames: Int = 100, in directory: TemporaryDirectory
  ) throws -> [[UInt8]] {
    let path = directory.file("\(codec)-\(size).ivf")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=15:duration=\(seconds)", "-pix_fmt",
      "yuv420p",
      "-c:v", codec == "vp8" ? "libvpx" : "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "0", "-g",
      "\(keyFrames)", path,
    ]
    try process.run()
    process.waitUntilExit()
    // IVF: a header of 32 bytes, then frames behind their size and time in 12 bytes.
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    var (frames, position): ([[UInt8]], Int) = ([], 32)
    while position + 12 <= bytes.count {
      let size = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
      frames.append(Array(bytes[position + 12..<position + 12 + size]))
      position += 12 + size
    }
    return frames
  }

  private func isKeyFrame(_ frame: [UInt8], _ codec: String) -> Bool {
    codec == "vp8" ? frame[0] & 1 == 0 : TrackFormat(vp9: frame) != nil
  }

  @Test("VP8 and VP9 play as they were sent, across a gap and a change of size", arguments: ["vp8", "vp9"])
  func video(codec: String) throws {
    let directory = try TemporaryDirectory()
    let payload: PayloadFormat = codec == "vp8" ? .vp8 : .vp9
    var samples = TrackSamples()
    var writer: TrackWriter?
    var file: [UInt8] = []
    let clips = try [frames(codec, "320x180", in: directory), frames(codec, "180x320", in: directory)]
    #expect(clips.map(\.count) == [15, 15])
    // A track that is joined in the middle waits for its key frame.
    let early = samples.take(EncodedFrame(data: clips[0][1], timestamp: 0, isKeyFrame: false), payload)
    #expect(early == nil)
    for (number, clip) in clips.enumerated() {
      for (index, frame) in clip.enumerated() {
        let time = (Int64(index) + Int64(number) * 45) * Self.step
        let frame = EncodedFrame(data: frame, timestamp: UInt32(time), isKeyFrame: isKeyFrame(frame, codec))
        let taken = samples.take(frame, payload)
        let sample = try #require(taken)
        if writer == nil {
          #expect(sample.isKeyFrame && sample.format.width == 320 && sample.format.height == 180)
          writer = TrackWriter(sample.format)
          file = writer?.header ?? []
        }
        file += writer?.add(sample, at: time)?.bytes ?? []
        if number == 1 { #expect(sample.format.width == 180 && sample.format.height == 320) }
      }
    }
    file += writer?.finish()?.bytes ?? []
    // The sample entry, and the configuration of version 1.
    #expect(file.firstRange(of: Array((codec == "vp8" ? "vp08" : "vp09").utf8)) != nil)
    #expect(file.firstRange(of: Array("vpcC".utf8) + [1, 0, 0, 0, 0]) != nil)
    let played = try PlayedFile(directory.write("\(codec).mp4", file))
    #expect(played.video?.codec_name == codec && played.video?.width == 320)
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count == 30 && played.beginsWithKeyFrame)
    #expect(abs(played.pictures[15] - 3) < 0.001, "the gap stays a gap: \(played.pictures)")
    let steps = PlayedFile.steps(played.pictures)
    #expect(steps.enumerated().allSatisfy { abs($1 - ($0 == 14 ? 2.0667 : 0.0667)) < 0.001 }, "\(steps)")
  }

  @Test("Opus plays as it was sent, and lost packets stay a gap")
  func sound() throws {
    let directory = try TemporaryDirectory()
    let encoder = try OpusEncoder()
    var tone = ToneGenerator(frequency: 440, format: .mono48k)
    var samples = TrackSamples()
    var writer = TrackWriter(.opus)
    var file = writer.header
    for number in 0..<200 {
      let packet = try encoder.encode(tone.next(960))
      guard !(50..<100).contains(number) else { continue }
      let frame = EncodedFrame(data: packet, timestamp: UInt32(number * 960), isKeyFrame: true)
      let taken = samples.take(frame, .opus)
      file += writer.add(try #require(taken), at: Int64(number) * 960)?.bytes ?? []
    }
    file += writer.finish()?.bytes ?? []
    let played = try PlayedFile(directory.write("sound.mp4", file))
    #expect(played.audio?.codec_name == "opus" && played.audio?.channels == 2)
    #expect(played.decodingErrors == "")
    #expect(played.sounds.count == 150 && played.sounds.first == 0)
    let steps = PlayedFile.steps(played.sounds)
    #expect(steps.enumerated().allSatisfy { abs($1 - ($0 == 49 ? 1.02 : 0.02)) < 0.001 }, "\(steps)")
  }

  @Test(
    "lost, late and cut-off packets leave a file that decodes without errors, across the wraps of numbers and timestamps",
    arguments: 1...4 as ClosedRange<UInt64>)
  func loss(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let frames = try frames("vp8", "320x180", seconds: 8, between: 15, in: directory)
    var random = SeededGenerator(seed: seed)
    var packetizer = VP8Packetizer(maximumPayloadSize: 200)
    var packets: [(header: RTPHeader, payload: [UInt8], at: Int64)] = []
    var sequence: UInt16 = 65_400
    for (index, frame) in frames.enumerated() {
      var payloads = packetizer.packetize(frame)
      // A sender that leaves a frame for the next key frame continues its numbers.
      let isCut = index + 1 < frames.count && isKeyFrame(frames[index + 1], "vp8") && payloads.count > 1
      let end = isCut ? payloads.count - 1 : payloads.count
      payloads = Array(payloads.prefix(end))
      for (number, payload) in payloads.enumerated() {
        var header = RTPHeader()
        header.sequenceNumber = sequence
        header.timestamp = UInt32.max - 90_000 &+ UInt32(index) &* UInt32(Self.step)
        header.marker = !isCut && number == payloads.count - 1
        header.payloadLength = payload.count
        sequence &+= 1
        let delay = Int64.random(in: 0..<10, using: &random) == 0 ? Int64.random(in: 0...90_000, using: &random) : 0
        if Int.random(in: 0..<100, using: &random) < 2, index > 0 { continue }
        packets.append((header, payload, Int64(index) * 66_667 + delay))
      }
    }
    packets.sort { $0.at < $1.at }
    var buffer = JitterBuffer(format: .vp8)
    var samples = TrackSamples()
    var timeline = TrackTimeline()
    var writer: TrackWriter?
    var (file, count): ([UInt8], Int) = ([], 0)
    for packet in packets {
      let now = Instant(microseconds: packet.at)
      packet.payload.withUnsafeBytes { _ = buffer.insert(packet.header, payload: $0, now: now) }
      while let output = buffer.next(now: now) {
        guard case .frame(let frame) = output, let sample = samples.take(frame, .vp8) else { continue }
        if writer == nil {
          writer = TrackWriter(sample.format)
          file = writer?.header ?? []
        }
        count += 1
        let place = timeline.place(frame.timestamp, packet.at / 1000, rate: 90_000)
        file += writer?.add(sample, at: place.time)?.bytes ?? []
      }
    }
    file += writer?.finish()?.bytes ?? []
    let played = try PlayedFile(directory.write("lost.mp4", file))
    #expect(buffer.counters.lostPackets > 0 && buffer.counters.breaks > 0)
    #expect(count > 30 && count < frames.count && played.pictures.count == count)
    #expect(played.beginsWithKeyFrame && PlayedFile.steps(played.pictures).allSatisfy { $0 > 0 })
    #expect(played.decodingErrors == "")
  }

  @Test("a frame that is not later than the one before, which later ones may refer to, is kept")
  func sameTime() throws {
    let directory = try TemporaryDirectory()
    var samples = TrackSamples()
    var writer: TrackWriter?
    var file: [UInt8] = []
    for (index, data) in try frames("vp8", "320x180", in: directory).enumerated() {
      let taken = samples.take(EncodedFrame(data: data, timestamp: 0, isKeyFrame: index == 0), .vp8)
      let sample = try #require(taken)
      if writer == nil {
        writer = TrackWriter(sample.format)
        file = writer?.header ?? []
      }
      file += writer?.add(sample, at: Int64(index == 7 ? 6 : index) * Self.step)?.bytes ?? []
    }
    file += writer?.finish()?.bytes ?? []
    let times = try PlayedFile(directory.write("same.mp4", file)).pictures
    #expect(times.count == 15 && PlayedFile.steps(times).allSatisfy { $0 > 0 })
  }

  @Test("timestamps that wrap continue, a publisher that starts again does not")
  func timeline() {
    var timeline = TrackTimeline()
    var timestamp = UInt32.max - 3000
    var captured: Int64 = 1_000_000
    var last: Int64 = -1
    for _ in 0..<100 {
      #expect(timeline.continues(timestamp, captured, rate: 90_000))
      let (time, startedAt) = timeline.place(timestamp, captured, rate: 90_000)
      #expect(time > last && abs(startedAt - 1_000_000) <= 1)
      last = time
      timestamp &+= 3600
      captured += 40
    }
    #expect(timeline.continues(timestamp &+ 90_000 * 60, captured + 60_000, rate: 90_000), "a mute of a minute")
    #expect(!timeline.continues(timestamp &+ 90_000 * 60, captured, rate: 90_000))
    #expect(!timeline.continues(12, captured, rate: 90_000))
    #expect(!timeline.continues(timestamp, captured + 4_000_000, rate: 90_000))
  }

  @Test("names consist of room, user, tag and time, in the characters of a recording's name")
  func names() {
    let source = RecordedTrackSource(user: "anna@b:c", tag: nil, kind: "video")
    #expect(source.fileName(room: "demo.1", at: 1_795_329_000_123)?.description == "demo_1.anna_b_c.video.20261122T063000Z.mp4")
    let long = RecordedTrackSource(
      user: String(repeating: "ü", count: 64), tag: String(repeating: "t", count: 64), kind: "audio")
    #expect(long.fileName(room: String(repeating: "r", count: 64), at: 0) != nil)
  }

  @Test("a file at its limit fails and plays; two tracks of one second have two files, with the facts of their tracks")
  func limit() async throws {
    let directory = try TemporaryDirectory()
    let frames = try frames("vp8", "320x180", in: directory)
    var settings = Recordings.Settings(directory: directory.path)
    let all = frames.reduce(0) { $0 + $1.count }
    settings.limit = Int64(all * 5)
    let recordings = Recordings(settings)
    await recordings.start()
    let owner = RecordingOwner(room: "demo", session: "RS_1", job: "stems")
    let source = RecordedTrackSource(user: "anna", tag: "camera", kind: "video")
    let ends = Mutex<[RecordingFailure?]>([])
    let format = try #require(TrackFormat(vp8: frames[0]))
    for (number, seconds) in [20, 2].enumerated() {
      let outlet = try recordings.begin(source, format, of: owner, startedAt: 1_795_329_000_123) { failure in
        ends.withLock { $0.append(failure) }
      }
      var samples = TrackSamples()
      for second in 0..<seconds {
        for (index, data) in frames.enumerated() {
          let frame = EncodedFrame(data: data, timestamp: 0, isKeyFrame: index == 0)
          let taken = samples.take(frame, .vp8)
          outlet.add(try #require(taken), at: Int64(second * 15 + index) * Self.step, startedAt: 1_795_329_000_100)
        }
      }
      outlet.close()
      try await eventually("it has ended") { ends.withLock { $0.count } == number + 1 }
    }
    #expect(ends.withLock { $0 } == [.limit(settings.limit), nil])
    let names = ["demo.anna.camera.20261122T063000Z.mp4", "demo.anna.camera.20261122T063000Z-2.mp4"]
    for (name, state) in zip(names, [RecordingFacts.State.failed, .ready]) {
      let key = try #require(RecordingName(name))
      let facts = try #require(recordings.facts(of: key))
      #expect(facts.state == state && facts.owner == owner)
      #expect(
        facts.track
          == .init(user: "anna", tag: "camera", kind: "video", codec: "vp8", startedAt: 1_795_329_000_100))
      #expect(facts.size <= settings.limit + 1000)
      #expect(try PlayedFile(directory.file(name)).decodingErrors == "")
      #expect(FactsFile(directory: directory.path).read(name)?.track == facts.track)
    }
    #expect(try PlayedFile(directory.file(names[1])).pictures.count == 30)
    await recordings.stop()
  }
}
