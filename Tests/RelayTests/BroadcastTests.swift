import RoomCodecs
import RoomMixing
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomRelay

/// A program in virtual time: pictures at its own rate and lag, audio on the grid.
private final class Source {
  let id: ProgramID
  let fps: Int64
  /// The time from a picture's media time to its arrival, in µs.
  let lag: Int64
  let soundLag: Int64
  let value: Int16
  /// The number of pictures between two key frames.
  let gop: Int64
  private let encoder: H264Encoder
  private let size: (Int, Int)
  private var nextPicture: Int64
  private var soundEnd: Int64
  private var wantsKeyAfter: Int64?
  private var number: Int64 = 0
  let hasAudio: Bool
  let hasVideo: Bool

  init(
    _ id: UInt64, from start: Int64, fps: Int64 = 25, lag: Int64 = 20_000, soundLag: Int64 = 150_000, value: Int16 = 1000,
    size: (Int, Int) = (64, 64), gop: Int64 = 50, hasAudio: Bool = true, hasVideo: Bool = true, soundOffset: Int64 = 0
  ) throws {
    self.id = ProgramID(id)
    self.fps = fps
    self.lag = lag
    self.soundLag = soundLag
    self.value = value
    self.gop = gop
    self.size = size
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
    encoder = try H264Encoder(
      VideoEncoderSettings(width: size.0, height: size.1, fps: Int(fps), bitrate: 100_000, keyFrameInterval: 0))
    nextPicture = start
    soundEnd = AudioInput.position(of: MediaTime(microseconds: start + soundOffset))
  }

  func wantKeyFrame(after time: Int64?) { wantsKeyAfter = time ?? .min }

  func feed(_ broadcast: Broadcast, now: Int64) throws {
    let instant = Instant(microseconds: now)
    while hasVideo, nextPicture + lag <= now {
      var key = number % gop == 0
      if let after = wantsKeyAfter, nextPicture > after {
        key = true
        wantsKeyAfter = nil
      }
      var frame = try VideoFrame(width: size.0, height: size.1, timestamp: MediaTime(microseconds: nextPicture))
      frame.withMutablePlanes { planes in
        for index in 0..<planes.yStride * planes.height { planes.y[index] = UInt8(truncatingIfNeeded: Int(number) * 7 + index) }
      }
      if let picture = try encoder.encode(frame, forceKeyFrame: key) { broadcast.take(picture, from: id, now: instant) }
      number += 1
      nextPicture += 1_000_000 / fps
    }
    let until = AudioInput.position(of: MediaTime(microseconds: now - soundLag))
    while hasAudio, soundEnd + 480 <= until {
      broadcast.take([Int16](repeating: value, count: 960), at: soundEnd, from: id, now: instant)
      soundEnd += 480
    }
  }
}

@Suite("A broadcast")
struct BroadcastTests {
  /// Runs sources for a while and collects the output.
  private struct Stage {
    let broadcast: Broadcast
    var sources: [Source] = []
    var messages: [MediaMessage] = []
    var tookOver: [(ProgramID, ProgramID?)] = []
    var now: Int64 = 1_000_000

    mutating func run(_ duration: Int64) throws {
      let end = now + duration
      while now < end {
        now += 5_000
        for source in sources { try source.feed(broadcast, now: now) }
        broadcast.advance(to: Instant(microseconds: now))
        while let output = broadcast.next() {
          switch output {
          case .media(let message): messages.append(message)
          case .keyFrameNeeded(let id, let after): sources.first { $0.id == id }?.wantKeyFrame(after: after?.microseconds)
          case .tookOver(let new, let old):
            tookOver.append((new, old))
            if let old { sources.removeAll { $0.id == old } }
          }
        }
      }
    }

    mutating func begin(_ source: Source) {
      sources.append(source)
      broadcast.begin(source.id, hasAudio: source.hasAudio, hasVideo: source.hasVideo, now: Instant(microseconds: now))
    }
  }

  private func tags(_ messages: [MediaMessage]) -> [(stamp: Int, tag: VideoTag)] {
    messages.filter { $0.kind == .video }.compactMap { message in
      message.payload.withUnsafeBytes { VideoTag(parsing: $0) }.map { (Int(message.timestamp), $0) }
    }
  }

  /// Checks that picture times strictly increase without gaps, that audio advances by 1024 samples, and that all messages are
  /// in order.
  private func check(_ messages: [MediaMessage], rate: Int, largestStep: Int) {
    let pictures = tags(messages).filter { !$0.tag.isSequenceHeader }.map(\.stamp)
    let steps = zip(pictures.dropFirst(), pictures).map(-)
    #expect(steps.allSatisfy { $0 > 0 && $0 <= largestStep }, "\(steps.filter { $0 <= 0 || $0 > largestStep })")
    let sound = messages.filter { $0.kind == .audio && $0.payload[1] == 1 }.map { Int($0.timestamp) }
    for (index, stamp) in sound.enumerated() {
      // The first frame's timestamp is rounded.
      #expect(abs(Double(stamp - sound[0]) - Double(index) * 1024_000 / Double(rate)) <= 1)
    }
    let stamps = messages.filter { $0.kind != .data }.map(\.timestamp)
    #expect(zip(stamps.dropFirst(), stamps).allSatisfy { $0 >= $1 })
  }

  @Test("one program is sent in order: metadata, headers, key frame, and audio without gaps", arguments: [44_100, 48_000])
  func single(rate: Int) throws {
    var stage = Stage(
      broadcast: try Broadcast(.init(audio: .init(format: AudioFormat(sampleRate: rate, channels: 2)))))
    stage.begin(try Source(1, from: stage.now))
    try stage.run(4_000_000)
    check(stage.messages, rate: rate, largestStep: 41)
    let video = tags(stage.messages)
    #expect(video[0].tag.isSequenceHeader)
    #expect(video[1].tag.isKeyFrame)
    #expect(stage.messages[0].kind == .data)
    let metadata = try #require(StreamMetadata(stage.messages.last { $0.kind == .data } ?? stage.messages[0]))
    #expect(metadata.width == 64)
    #expect(abs(stage.messages.filter { $0.kind == .audio }.count - 4 * rate / 1024) < 15)
    #expect(video.count > 90)
  }

  @Test("takeovers between programs of any lag leave no gap in audio and at most 1.5 intervals between pictures")
  func takeovers() throws {
    var stage = Stage(broadcast: try Broadcast())
    var first = try Source(1, from: stage.now, value: 1000)
    stage.begin(first)
    try stage.run(2_000_000)
    for round in UInt64(2)...11 {
      // Forward and merge programs alternate: the latter lag and have another size.
      let lags: Int64 = round % 2 == 0 ? 250_000 : 20_000
      first = try Source(
        round, from: stage.now - lags, lag: lags, soundLag: round % 2 == 0 ? 300_000 : 150_000,
        value: Int16(round) * 1000, size: round % 2 == 0 ? (96, 64) : (64, 64))
      stage.begin(first)
      try stage.run(3_000_000)
      #expect(stage.broadcast.onAir == ProgramID(round))
      #expect(stage.tookOver.last?.1 == ProgramID(round - 1))
    }
    check(stage.messages, rate: 44_100, largestStep: 61)
    // Each change of size has its sequence header, directly before a key frame.
    let video = tags(stage.messages)
    let headers = video.indices.filter { video[$0].tag.isSequenceHeader }
    #expect(headers.count == 11)
    #expect(headers.allSatisfy { video[$0 + 1].tag.isKeyFrame })
    #expect(stage.broadcast.counters.takeovers == 10)
  }

  /// Returns the left channel of the audio that a receiver decodes.
  private func heard(_ messages: [MediaMessage], _ format: AudioFormat) throws -> [Int] {
    let configuration = AudioSpecificConfig(sampleRate: format.sampleRate, channels: format.channels).encoded
    let decoder = try SoundDecoder(.aac(configuration: configuration), output: format)
    var heard: [Int16] = []
    for message in messages where message.kind == .audio && message.payload[1] == 1 {
      heard += try decoder.decode(Array(message.payload.dropFirst(2)))
    }
    return stride(from: 0, to: heard.count, by: 2).map { Int(heard[$0]) }
  }

  /// Returns the left channel that a receiver decodes when a program of one level is followed by a program of the other with
  /// more lag.
  /// - Parameters:
  ///   - rest: The time from the arrival of the second program, in µs.
  ///   - isStanding: Whether the first program stalls at that time without ending.
  private func levels(_ rest: Int64, isStanding: Bool) throws -> [Int] {
    let format = AudioFormat(sampleRate: 48_000, channels: 2)
    var stage = Stage(broadcast: try Broadcast(.init(audio: .init(format: format, bitrate: 256_000))))
    stage.begin(try Source(1, from: stage.now, value: 8000))
    try stage.run(1_000_000)
    if isStanding { stage.sources = [] }
    stage.begin(try Source(2, from: stage.now - 250_000, lag: 250_000, soundLag: 300_000, value: -8000))
    try stage.run(rest)
    #expect(stage.broadcast.onAir == ProgramID(2))
    return try heard(stage.messages, format)
  }

  @Test("if the old program stalls before the cut, the new one's audio replaces it")
  func standstill() throws {
    let left = try levels(4_000_000, isStanding: true).dropFirst(2000)
    #expect(left.count > 180_000)
    // The encoder rings at the change of level; silence would last 40 ms or more.
    #expect(left.filter { abs($0) <= 4000 }.count < 1000)
  }

  @Test("audio switches programs at one sample, with none lost or repeated")
  func soundCut() throws {
    let left = try levels(2_000_000, isStanding: false)
    let signs = left.dropFirst(2000).map { $0 > 4000 ? 1 : $0 < -4000 ? -1 : 0 }
    // One transition between the levels, within the encoder's ringing.
    #expect(signs.filter { $0 == 0 }.count < 2500)
    let change = try #require(signs.firstIndex(of: -1))
    #expect(signs[change...].filter { $0 == 1 }.count < 600)
  }

  @Test("every key frame contains its parameter sets")
  func parameterSets() throws {
    var stage = Stage(broadcast: try Broadcast())
    stage.begin(try Source(1, from: stage.now, gop: 10))
    try stage.run(1_500_000)
    stage.begin(try Source(2, from: stage.now, size: (96, 64), gop: 10))
    try stage.run(2_000_000)
    var current: AVCConfiguration?
    var keyFrames = 0
    for message in stage.messages where message.kind == .video {
      let tag = try #require(message.payload.withUnsafeBytes { VideoTag(parsing: $0) })
      let body = Array(message.payload[tag.track.body])
      if tag.isSequenceHeader { current = body.withUnsafeBytes { AVCConfiguration(parsing: $0) } }
      let sets = try #require(current?.parameterSetUnits)
      #expect(body.starts(with: sets) == (tag.isKeyFrame || tag.isSequenceHeader && body == sets))
      if tag.isKeyFrame { keyFrames += 1 }
    }
    #expect(keyFrames >= 6)
  }

  @Test("audio is cross-faded between programs, without steps between samples")
  func blend() throws {
    let left = try levels(2_000_000, isStanding: false).dropFirst(4000)
    let steps = zip(left.dropFirst(), left).map { abs($0 - $1) }
    // A raised cosine of 10 ms from 8000 to -8000 changes by at most 52 per sample; a cut would be 16,000.
    #expect(try #require(steps.max()) < 400)
  }

  @Test("if a program's audio starts after its first picture, the old program's audio bridges the gap")
  func lateSound() throws {
    let format = AudioFormat(sampleRate: 48_000, channels: 2)
    var stage = Stage(broadcast: try Broadcast(.init(audio: .init(format: format, bitrate: 256_000))))
    stage.begin(try Source(1, from: stage.now, value: 8000))
    try stage.run(1_000_000)
    // Its first audio is 60 ms after its first picture.
    stage.begin(try Source(2, from: stage.now, value: 8000, soundOffset: 60_000))
    try stage.run(2_000_000)
    #expect(stage.broadcast.onAir == ProgramID(2))
    let left = try heard(stage.messages, format).dropFirst(4000)
    #expect(left.allSatisfy { abs($0 - 8000) < 400 }, "\(left.min() ?? 0)")
  }

  @Test("a program without video takes over, and one without audio leaves silence")
  func kinds() throws {
    var stage = Stage(broadcast: try Broadcast())
    stage.begin(try Source(1, from: stage.now))
    try stage.run(1_500_000)
    stage.begin(try Source(2, from: stage.now, hasAudio: false))
    try stage.run(2_000_000)
    #expect(stage.broadcast.onAir == ProgramID(2))
    stage.begin(try Source(3, from: stage.now, hasVideo: false))
    try stage.run(2_000_000)
    #expect(stage.broadcast.onAir == ProgramID(3))
    let sound = stage.messages.filter { $0.kind == .audio && $0.payload[1] == 1 }.map { Int($0.timestamp) }
    #expect(sound.count > 200)
    for (index, stamp) in sound.enumerated() {
      #expect(abs(Double(stamp - sound[0]) - Double(index) * 1024_000 / 44_100) <= 1)
    }
  }

  @Test("a new program that never delivers does not disturb the one on air, and can be ended")
  func silentTakeover() throws {
    var stage = Stage(broadcast: try Broadcast())
    stage.begin(try Source(1, from: stage.now))
    try stage.run(1_000_000)
    stage.broadcast.begin(ProgramID(2), hasAudio: true, hasVideo: true, now: Instant(microseconds: stage.now))
    try stage.run(2_000_000)
    #expect(stage.broadcast.onAir == ProgramID(1))
    stage.broadcast.end(ProgramID(2), now: Instant(microseconds: stage.now))
    try stage.run(1_000_000)
    check(stage.messages, rate: 44_100, largestStep: 41)
    #expect(stage.broadcast.upcoming == nil)
  }

  @Test("a program that ends before the next one starts leaves the timeline to it")
  func endFirst() throws {
    var stage = Stage(broadcast: try Broadcast())
    stage.begin(try Source(1, from: stage.now))
    try stage.run(1_000_000)
    stage.sources.removeAll()
    stage.broadcast.end(ProgramID(1), now: Instant(microseconds: stage.now))
    try stage.run(700_000)
    stage.begin(try Source(2, from: stage.now))
    try stage.run(2_000_000)
    #expect(stage.broadcast.onAir == ProgramID(2))
    check(stage.messages, rate: 44_100, largestStep: 1000)
  }
}
