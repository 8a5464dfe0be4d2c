import RoomCodecs
import RoomMediaTimeLiterals
import RoomMixing
import RoomRTP
import Testing

@testable import RoomRelay
@testable import RoomSFU

@Suite("A forward program")
struct ForwardProgramTests {
  private final class Stage {
    let anchor: Anchor
    let program: ForwardProgram
    let decoder: TrackDecoder
    var pictures: [EncodedPicture] = []
    var sound: [(position: Int64, samples: [Int16])] = []
    var now: Int64 = 5_000_000

    init(_ anchor: Anchor, hasAudio: Bool = true) throws {
      self.anchor = anchor
      program = ForwardProgram(carriesAudio: hasAudio, carriesVideo: true, now: Instant(microseconds: now))
      let clock = SharedClock()
      decoder = TrackDecoder(TrackReader(anchor.audio, participant: clock), isVideo: false)
      program.setVideo(TrackReader(anchor.video, participant: clock), now: Instant(microseconds: now))
      guard hasAudio else { return }
      let inbox = DecodedInbox(isVideo: false)
      decoder.attach(inbox)
      program.setAudio(inbox, now: Instant(microseconds: now))
    }

    func run(_ duration: Int64, _ each: (_ millisecond: Int64) throws -> Void) throws {
      for millisecond in 0..<duration {
        now += 1000
        try each(millisecond)
        if millisecond % 5 == 0 {
          decoder.poll(now: Instant(microseconds: now)) {}
          program.advance(to: Instant(microseconds: now)) { output in
            switch output {
            case .picture(let picture): pictures.append(picture)
            case .sound(let samples, let position): sound.append((position, samples))
            case .keyFrameNeeded: anchor.wantsKeyFrame = true
            }
          }
        }
      }
    }
  }

  @Test("H.264 passes through unchanged, with times that increase as captured")
  func untouched() throws {
    let stage = try Stage(try Anchor())
    try stage.run(3000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchor.sendPicture(100, at: stage.now, lag: 0) }
    }
    #expect(stage.pictures.count >= 74)
    let sent = stage.anchor.sent.prefix(stage.pictures.count)
    for (picture, original) in zip(stage.pictures, sent) {
      #expect(units(picture.data) == units(original))
    }
    let steps = zip(stage.pictures.dropFirst(), stage.pictures).map { $0.timestamp - $1.timestamp }
    #expect(steps.allSatisfy { abs($0 - 40_000) < 200 })
  }

  private func units(_ data: [UInt8]) -> [[UInt8]] {
    data.withUnsafeBytes { bytes in AnnexB(bytes).map { Array(bytes[$0]) } }
  }

  @Test("VP8 is transcoded to H.264 with the same pictures")
  func transcoded() throws {
    let stage = try Stage(try Anchor(.vp8))
    try stage.run(2000) { millisecond in
      if millisecond % 40 == 0 {
        try stage.anchor.sendPicture(UInt8(60 + millisecond / 20), at: stage.now, lag: 0)
      }
    }
    #expect(stage.pictures.count >= 48)
    let decoder = try H264Decoder()
    var brightness: [Int] = []
    for picture in stage.pictures {
      if let frame = try decoder.decode(picture.data, timestamp: picture.timestamp) {
        brightness.append(frame.withPlanes { Int($0.y[$0.yStride * 10 + 10]) })
      }
    }
    #expect(brightness.count == stage.pictures.count)
    for (index, value) in brightness.enumerated() { #expect(abs(value - (60 + index * 2)) < 12) }
  }

  @Test("sender reports keep audio and video in sync, whatever their queues")
  func synchronous() throws {
    let stage = try Stage(try Anchor())
    // Pictures arrive 90 ms late, audio at once; a flash and a beep occur at the same moment.
    let flash: Int64 = 4000
    var waiting: [(due: Int64, brightness: UInt8, time: Int64)] = []
    try stage.run(6000) { millisecond in
      if millisecond % 1000 == 200 { stage.anchor.report(at: stage.now) }
      let isOn = (flash..<flash + 200).contains(millisecond)
      if millisecond % 40 == 0 { waiting.append((stage.now + 90_000, isOn ? 230 : 30, stage.now)) }
      while let next = waiting.first, next.due <= stage.now {
        try stage.anchor.sendPicture(next.brightness, at: next.time, lag: 90_000)
        waiting.removeFirst()
      }
      if millisecond % 20 == 0 { try stage.anchor.sendSound(isOn ? 12_000 : 0, at: stage.now, lag: 5_000) }
    }
    let decoder = try H264Decoder()
    var seen: Int64?
    for picture in stage.pictures {
      guard let frame = try decoder.decode(picture.data, timestamp: picture.timestamp), seen == nil else { continue }
      if frame.withPlanes({ $0.y[$0.yStride * 10 + 10] }) > 150 { seen = picture.timestamp.microseconds }
    }
    var heard: Int64?
    for block in stage.sound where heard == nil {
      if let index = block.samples.firstIndex(where: { abs(Int($0)) > 4000 }) {
        heard = (block.position + Int64(index / 2)) * 1_000_000 / 48_000
      }
    }
    let difference = try #require(seen) - (try #require(heard))
    #expect(abs(difference) < 40_000, "\(difference)")
  }

  @Test("its first audio is the sender's at full level, not the preceding silence")
  func firstSound() throws {
    let stage = try Stage(try Anchor())
    try stage.run(1500) { millisecond in
      if millisecond % 40 == 0 { try stage.anchor.sendPicture(100, at: stage.now, lag: 0) }
      if millisecond >= 100, millisecond % 20 == 0 { try stage.anchor.sendSound(8000, at: stage.now, lag: 5_000) }
    }
    #expect(stage.sound.count > 90)
    let first = try #require(stage.sound.first)
    // Opus itself needs some milliseconds to reach the level.
    #expect(first.samples.suffix(200).contains { abs(Int($0)) > 4000 }, "\(first.samples.map { abs(Int($0)) }.max() ?? 0)")
    #expect(first.position >= AudioInput.position(of: 5_100_000))
  }

  @Test("without any audio there is silence after half a second")
  func silentTrack() throws {
    let stage = try Stage(try Anchor())
    try stage.run(1000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchor.sendPicture(100, at: stage.now, lag: 0) }
    }
    #expect((40...55).contains(stage.sound.count), "\(stage.sound.count) blocks of 10 ms")
  }

  @Test("a pause repeats the last picture, and the track resumes at a key frame")
  func pause() throws {
    let stage = try Stage(try Anchor(), hasAudio: false)
    try stage.run(1000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchor.sendPicture(180, at: stage.now, lag: 0) }
    }
    let before = stage.pictures.count
    try stage.run(5000) { _ in }
    let still = Array(stage.pictures[before...])
    #expect((20...26).contains(still.count))
    #expect(still.first?.isKeyFrame == true)
    let decoder = try H264Decoder()
    var last: VideoFrame?
    for picture in still { last = try decoder.decode(picture.data, timestamp: 0) ?? last }
    let frame = try #require(last)
    #expect(frame.width == 64 && frame.height == 48)
    #expect(abs(Int(frame.withPlanes { $0.y[$0.yStride * 20 + 20] }) - 180) < 12)
    let after = stage.pictures.count
    try stage.run(1000) { millisecond in
      if millisecond == 400 { stage.anchor.wantsKeyFrame = true }
      if millisecond % 40 == 0 { try stage.anchor.sendPicture(50, at: stage.now, lag: 0) }
    }
    let resumed = try #require(stage.pictures[after...].first { $0.data.count > 0 && $0.isKeyFrame })
    #expect(resumed.timestamp > still.last?.timestamp ?? 0)
    let times = stage.pictures.map(\.timestamp.microseconds)
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 > $1 })
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 <= 1_250_000 })
  }

  @Test("tracks that end leave silence and the last picture, and the program reports since when it has none")
  func ended() throws {
    let stage = try Stage(try Anchor())
    try stage.run(1000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchor.sendPicture(180, at: stage.now, lag: 0) }
      if millisecond % 20 == 0 { try stage.anchor.sendSound(8000, at: stage.now, lag: 0) }
    }
    #expect(stage.program.emptySince == nil)
    stage.anchor.end()
    try stage.run(3000) { _ in }
    let since = try #require(stage.program.emptySince)
    #expect(abs(since.microseconds - 6_001_000) < 20_000)
    #expect(stage.sound.suffix(100).allSatisfy { $0.samples.allSatisfy { $0 == 0 } })
    let positions = stage.sound.map(\.position)
    #expect(zip(positions.dropFirst(), positions).allSatisfy { $0 == $1 + 480 })
    #expect(stage.pictures.count > 32)
  }
}
