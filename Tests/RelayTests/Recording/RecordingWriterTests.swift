import RoomRTMP
import RoomTestSupport
import Testing

@testable import RoomRelay

/// The output of a writer: each file's bytes, and the ends of the parts.
struct WrittenFiles {
  var files: [[UInt8]] = [[]]
  /// The ends of the parts in the last file.
  var ends: [Int] = []

  mutating func add(_ parts: [RecordingPart]) {
    for part in parts {
      switch part {
      case .bytes(let bytes):
        files[files.count - 1] += bytes
        ends.append(files[files.count - 1].count)
      case .nextFile:
        files.append([])
        ends = []
      }
    }
  }

  mutating func add(_ messages: [MediaMessage], to writer: any RecordingWriter) throws {
    for message in messages { add(try writer.take(message)) }
  }
}

@Suite("Recordings", .serialized)
struct RecordingWriterTests {
  private func writer(_ format: RecordingName.Format) throws -> any RecordingWriter {
    try #require(RecordingName("a.\(format.rawValue)")).writer()
  }

  @Test(
    "play from start to end, with video, audio or both",
    arguments: RecordingName.Format.allCases, [(true, true), (false, true), (true, false)])
  func plays(format: RecordingName.Format, kinds: (video: Bool, audio: Bool)) throws {
    // Timestamps wrap in the middle.
    let broadcast = try GeneratedBroadcast(start: 0xffff_f000)
    broadcast.hasVideo = kinds.video
    broadcast.hasAudio = kinds.audio
    let writer = try writer(format)
    var written = WrittenFiles()
    try written.add(try broadcast.messages(for: 7000), to: writer)
    written.add(try writer.finish())
    #expect(written.files.count == 1)
    let directory = try TemporaryDirectory()
    let played = try PlayedFile(try directory.write("a.\(format.rawValue)", written.files[0]))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count == broadcast.pictures)
    #expect(played.sounds.count == broadcast.sounds)
    #expect((played.video != nil) == kinds.video && (played.audio != nil) == kinds.audio)
    if kinds.video {
      #expect(played.widths == [Int](repeating: 320, count: 105))
      #expect(PlayedFile.steps(played.pictures).allSatisfy { $0 > 0.065 && $0 < 0.0685 })
      #expect(abs(played.pictures[0]) < 0.001)
    }
    if kinds.audio {
      #expect(played.audio?.channels == 2)
      #expect(PlayedFile.steps(played.sounds).allSatisfy { $0 > 0.022 && $0 < 0.0245 })
      #expect(played.sounds[0] < 0.05)
    }
    #expect(writer.dropped == 0)
  }

  @Test(
    "programs of other sizes that take over continue in the same file, and every picture is decoded",
    arguments: RecordingName.Format.allCases)
  func takeovers(format: RecordingName.Format) throws {
    let broadcast = try GeneratedBroadcast()
    let writer = try writer(format)
    var written = WrittenFiles()
    for (width, height) in [(320, 180), (180, 320), (640, 360), (320, 180)] {
      broadcast.takeOver(width: width, height: height)
      try written.add(try broadcast.messages(for: 3000), to: writer)
    }
    written.add(try writer.finish())
    #expect(written.files.count == 1)
    let directory = try TemporaryDirectory()
    let played = try PlayedFile(try directory.write("a.\(format.rawValue)", written.files[0]))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count == broadcast.pictures)
    #expect(played.widths == [320, 180, 640, 320].flatMap { [Int](repeating: $0, count: 45) })
    #expect(played.sounds.count == broadcast.sounds)
    #expect(PlayedFile.steps(played.sounds).allSatisfy { $0 > 0.022 && $0 < 0.0245 })
  }

  @Test(
    "truncated anywhere, they play up to the last complete part", arguments: RecordingName.Format.allCases, [true, false])
  func truncated(format: RecordingName.Format, hasVideo: Bool) throws {
    let broadcast = try GeneratedBroadcast()
    broadcast.hasVideo = hasVideo
    broadcast.gop = 20
    let writer = try writer(format)
    var written = WrittenFiles()
    // The pictures and audio frames that had arrived at the end of each part.
    var counts: [(end: Int, pictures: Int, sounds: Int)] = []
    for _ in 0..<90 {
      try written.add(try broadcast.messages(for: 100), to: writer)
      if let end = written.ends.last, end != counts.last?.end {
        counts.append((end, broadcast.pictures, broadcast.sounds))
      }
    }
    let bytes = written.files[0]
    // After three seconds, at least one of them is in a complete part.
    let first = try #require(counts.first { $0.sounds > 130 }).end
    let directory = try TemporaryDirectory()
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<3 {
      var cut = Int.random(in: first...bytes.count, using: &generator)
      let whole = written.ends.last { $0 <= cut } ?? 0
      // ffmpeg reads nothing from a file that ends within a moof. A fragment is written in one piece, so that no file is left
      // like that.
      if format == .mp4, cut > whole, whole + 4 <= bytes.count {
        let moof = bytes[whole..<whole + 4].reduce(0) { $0 << 8 | Int($1) }
        cut = min(max(cut, whole + moof), bytes.count)
      }
      let path = try directory.write("cut.\(format.rawValue)", bytes.prefix(cut))
      let played = try PlayedFile(path)
      let complete = try PlayedFile(try directory.write("whole.\(format.rawValue)", bytes.prefix(whole)))
      #expect(complete.decodingErrors == "", "\(cut) of \(bytes.count)")
      #expect(complete.sounds.count > 20 && (!hasVideo || complete.pictures.count > 10))
      #expect(Array(played.pictures.prefix(complete.pictures.count)) == complete.pictures, "\(cut) of \(bytes.count)")
      #expect(Array(played.sounds.prefix(complete.sounds.count)) == complete.sounds, "\(cut) of \(bytes.count)")
      #expect(played.widths.count >= complete.pictures.count - 1)
      // A fragment contains 2 s, and a part is written when the next one starts.
      guard let then = counts.last(where: { $0.end <= whole }) else { continue }
      #expect(complete.sounds.count >= then.sounds - 100)
      #expect(!hasVideo || complete.pictures.count >= then.pictures - 32)
    }
  }

  @Test(
    "started in the middle of a broadcast, they start with its next key frame at time 0",
    arguments: RecordingName.Format.allCases)
  func middle(format: RecordingName.Format) throws {
    let broadcast = try GeneratedBroadcast()
    let before = try broadcast.messages(for: 1000)
    let headers = before.filter { message in
      message.payload.withUnsafeBytes {
        message.kind == .video ? VideoTag(parsing: $0)?.isSequenceHeader : AudioTag(parsing: $0)?.isSequenceHeader
      } == true
    }
    let writer = try writer(format)
    var written = WrittenFiles()
    try written.add(headers, to: writer)
    try written.add(try broadcast.messages(for: 5000), to: writer)
    written.add(try writer.finish())
    let directory = try TemporaryDirectory()
    let played = try PlayedFile(try directory.write("a.\(format.rawValue)", written.files[0]))
    #expect(played.decodingErrors == "")
    #expect(played.beginsWithKeyFrame)
    #expect(played.pictures.count == 60)
    #expect(abs(played.pictures[0]) < 0.001)
    #expect(played.sounds.count > 165 && played.sounds[0] < 0.03)
  }

  @Test(
    "audio that starts before the video is in the same file if the video arrives within four seconds",
    arguments: RecordingName.Format.allCases)
  func soundFirst(format: RecordingName.Format) throws {
    let broadcast = try GeneratedBroadcast()
    broadcast.hasVideo = false
    let writer = try writer(format)
    var written = WrittenFiles()
    try written.add(try broadcast.messages(for: 3000), to: writer)
    broadcast.hasVideo = true
    try written.add(try broadcast.messages(for: 3000), to: writer)
    written.add(try writer.finish())
    #expect(written.files.count == 1)
    let directory = try TemporaryDirectory()
    let played = try PlayedFile(try directory.write("a.\(format.rawValue)", written.files[0]))
    #expect(played.decodingErrors == "")
    #expect(played.sounds.count == broadcast.sounds && played.pictures.count == 45)
    #expect(abs(played.pictures[0] - 2.977) < 0.03)
  }

  @Test("video that joins audio later starts a new file with both", arguments: RecordingName.Format.allCases)
  func joining(format: RecordingName.Format) throws {
    let broadcast = try GeneratedBroadcast()
    broadcast.hasVideo = false
    let writer = try writer(format)
    var written = WrittenFiles()
    try written.add(try broadcast.messages(for: 6000), to: writer)
    broadcast.hasVideo = true
    try written.add(try broadcast.messages(for: 3000), to: writer)
    written.add(try writer.finish())
    #expect(written.files.count == 2)
    let directory = try TemporaryDirectory()
    let played = try written.files.map { try PlayedFile(try directory.write("a.\(format.rawValue)", $0)) }
    #expect(played.allSatisfy { $0.decodingErrors == "" })
    #expect(played.map(\.sounds.count).reduce(0, +) == broadcast.sounds)
    #expect(played.map(\.pictures.count) == [0, 45])
    #expect(played[0].video == nil)
    #expect(abs(played[1].pictures[0]) < 0.001 && played[1].sounds[0] < 0.03)
  }

  @Test("audio that joins video starts the next file at the next key frame", arguments: RecordingName.Format.allCases)
  func soundJoins(format: RecordingName.Format) throws {
    let broadcast = try GeneratedBroadcast()
    broadcast.hasAudio = false
    let writer = try writer(format)
    var written = WrittenFiles()
    try written.add(try broadcast.messages(for: 3000), to: writer)
    broadcast.hasAudio = true
    try written.add(try broadcast.messages(for: 3000), to: writer)
    written.add(try writer.finish())
    let directory = try TemporaryDirectory()
    let played = try written.files.map { try PlayedFile(try directory.write("a.\(format.rawValue)", $0)) }
    #expect(played.allSatisfy { $0.decodingErrors == "" })
    #expect(played.map(\.pictures.count) == [60, 30])
    #expect(played[0].audio == nil && played[1].sounds.count > 80)
    #expect(writer.dropped > 35 && writer.dropped < 50)
  }

  @Test("if video pauses for one program, the audio continues in complete fragments")
  func noPictures() throws {
    let broadcast = try GeneratedBroadcast()
    let writer = try writer(.mp4)
    var written = WrittenFiles()
    try written.add(try broadcast.messages(for: 3000), to: writer)
    broadcast.hasVideo = false
    try written.add(try broadcast.messages(for: 5000), to: writer)
    let soFar = written.files[0].count
    #expect(written.ends.count >= 4)
    broadcast.hasVideo = true
    broadcast.takeOver(width: 640, height: 360)
    try written.add(try broadcast.messages(for: 3000), to: writer)
    written.add(try writer.finish())
    #expect(written.files.count == 1 && written.files[0].count > soFar)
    let directory = try TemporaryDirectory()
    let played = try PlayedFile(try directory.write("a.mp4", written.files[0]))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count == 90 && played.sounds.count == broadcast.sounds)
    #expect(played.widths == [320, 640].flatMap { [Int](repeating: $0, count: 45) })
  }

  @Test("the index at an MP4's end lists the fragments that start with key frames")
  func index() throws {
    let broadcast = try GeneratedBroadcast()
    let writer = try writer(.mp4)
    var written = WrittenFiles()
    try written.add(try broadcast.messages(for: 9000), to: writer)
    written.add(try writer.finish())
    let bytes = written.files[0]
    func number(_ place: Int, _ count: Int) -> Int { bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) } }
    let length = number(bytes.count - 4, 4)
    let index = bytes.count - length
    #expect(number(index, 4) == length && bytes[(index + 4)..<(index + 8)].elementsEqual("mfra".utf8))
    let entries = number(index + 8 + 20, 4)
    #expect(entries == 5)
    for entry in 0..<entries {
      let place = index + 8 + 24 + 19 * entry
      #expect(number(place, 8) == 180_000 * entry)
      let fragment = number(place + 8, 8)
      #expect(bytes[(fragment + 4)..<(fragment + 8)].elementsEqual("moof".utf8))
    }
  }

  @Test("invalid messages do not end a recording", arguments: RecordingName.Format.allCases)
  func garbage(format: RecordingName.Format) throws {
    let broadcast = try GeneratedBroadcast()
    let writer = try writer(format)
    var written = WrittenFiles()
    var generator = SeededGenerator(seed: 1)
    for message in try broadcast.messages(for: 3000) {
      written.add(try writer.take(message))
      for kind in MediaMessage.Kind.allCases {
        let payload = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
          UInt8.random(in: 0x30...0x8f, using: &generator)
        }
        written.add(try writer.take(MediaMessage(kind, timestamp: message.timestamp, payload: payload)))
      }
    }
    written.add(try writer.finish())
    #expect(written.files[0].count > 50_000)
  }
}
