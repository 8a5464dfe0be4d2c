import RoomCodecs
import RoomMediaTimeLiterals
import RoomMixing
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomRelay

@Suite("A merge program")
struct MergeProgramTests {
  /// Two anchors, their decoders and a mix of both, in virtual time.
  private final class Stage {
    let anchors: [Anchor]
    let decoders: [(video: TrackDecoder, audio: TrackDecoder)]
    let clocks: [SharedClock]
    let program: MergeProgram
    var pictures: [EncodedPicture] = []
    var sound: [(position: Int64, samples: [Int16])] = []
    var now: Int64
    /// Whether the decoders' thread is stalled.
    var isStalled = false

    init(_ anchors: [Anchor], fps: Int = 25, size: (Int, Int) = (128, 48), start: Int64 = 5_000_000) throws {
      self.anchors = anchors
      now = start
      let clocks = anchors.map { _ in SharedClock() }
      self.clocks = clocks
      decoders = zip(anchors, clocks).map { anchor, clock in
        (
          TrackDecoder(TrackReader(anchor.video, participant: clock), isVideo: true),
          TrackDecoder(TrackReader(anchor.audio, participant: clock, configuration: .mixedSound), isVideo: false)
        )
      }
      let halves = MixScene(placements: [
        Placement(source: "v0", frame: PixelFrame(x: 0, y: 0, width: size.0 / 2, height: size.1)),
        Placement(source: "v1", frame: PixelFrame(x: size.0 / 2, y: 0, width: size.0 / 2, height: size.1)),
      ])
      program = try MergeProgram(
        picture: MixPicture(width: size.0, height: size.1, fps: fps, bitrate: 400_000), scene: halves,
        now: Instant(microseconds: start))
      for index in anchors.indices {
        for isVideo in [true, false] {
          let inbox = attach(index, isVideo: isVideo)
          program.setInput(
            isVideo ? "v\(index)" : "a\(index)", inbox, isVideo: isVideo, of: clocks[index], now: Instant(microseconds: now))
        }
      }
    }

    func attach(_ index: Int, isVideo: Bool) -> DecodedInbox {
      let inbox = DecodedInbox(isVideo: isVideo)
      (isVideo ? decoders[index].video : decoders[index].audio).attach(inbox)
      return inbox
    }

    func run(_ duration: Int64, _ each: (_ millisecond: Int64) throws -> Void) throws {
      for millisecond in 0..<duration {
        now += 1000
        try each(millisecond)
        guard millisecond % 5 == 0 else { continue }
        if !isStalled { poll() }
        program.advance(to: Instant(microseconds: now)) { output in
          switch output {
          case .picture(let picture): pictures.append(picture)
          case .sound(let samples, let position): sound.append((position, samples))
          case .keyFrameNeeded: break
          }
        }
      }
    }

    func poll() {
      for (index, decoder) in decoders.enumerated() {
        decoder.video.poll(now: Instant(microseconds: now)) { anchors[index].wantsKeyFrame = true }
        decoder.audio.poll(now: Instant(microseconds: now)) {}
      }
    }

    /// Returns the brightness in the middle of the left and the right half of each picture.
    func halves() throws -> [(time: Int64, left: Int, right: Int)] {
      let decoder = try H264Decoder()
      var all: [(time: Int64, left: Int, right: Int)] = []
      for picture in pictures {
        guard let frame = try decoder.decode(picture.data, timestamp: picture.timestamp) else { continue }
        let (left, right) = frame.withPlanes { planes in
          let row = planes.yStride * (planes.height / 2)
          return (Int(planes.y[row + planes.width / 4]), Int(planes.y[row + planes.width * 3 / 4]))
        }
        all.append((picture.timestamp.microseconds, left, right))
      }
      return all
    }
  }

  @Test("shows both anchors on the frame clock's grid and plays both, and follows a new scene with the next frame")
  func twoAnchors() throws {
    let stage = try Stage([try Anchor(), try Anchor(.vp8, size: (96, 64))])
    try stage.run(3000) { millisecond in
      if millisecond % 40 == 0 {
        try stage.anchors[0].sendPicture(60, at: stage.now, lag: 0)
        try stage.anchors[1].sendPicture(180, at: stage.now, lag: 0)
      }
      if millisecond % 20 == 0 {
        try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0)
        try stage.anchors[1].sendSound(0, at: stage.now, lag: 0)
      }
      if millisecond == 2000 {
        // The left half alone, over the whole picture.
        stage.program.setScene(
          MixScene(placements: [Placement(source: "v1", frame: PixelFrame(x: 0, y: 0, width: 128, height: 48))]),
          now: Instant(microseconds: stage.now))
      }
    }
    let times = stage.pictures.map(\.timestamp.microseconds)
    #expect(times.allSatisfy { $0 % 40_000 == 0 })
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == 40_000 })
    let shown = try stage.halves()
    let change = 5_000_000 + 2_000_000 - stage.program.delay - 20_000
    for (time, left, right) in shown where time > 5_500_000 {
      // The frame due at the change of scene may show either one.
      guard abs(time - change) > 45_000 else { continue }
      #expect(abs(left - (time < change ? 60 : 180)) < 12, "at \(time)")
      #expect(abs(right - 180) < 12, "at \(time)")
    }
    let positions = stage.sound.map(\.position)
    #expect(zip(positions.dropFirst(), positions).allSatisfy { $0 == $1 + 480 })
    let loud = stage.sound.suffix(100).filter { $0.samples.contains { abs(Int($0)) > 2000 } }
    #expect(loud.count == 100)
  }

  @Test("audio and video start together, with every source included")
  func beginning() throws {
    let stage = try Stage([try Anchor(), try Anchor()])
    try stage.run(2000) { millisecond in
      if millisecond % 40 == 0 {
        for anchor in stage.anchors { try anchor.sendPicture(100, at: stage.now, lag: 0) }
      }
      // The second anchor's audio arrives slightly later than everything else.
      if millisecond % 20 == 0 { try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0) }
      if millisecond % 20 == 0, millisecond >= 200 { try stage.anchors[1].sendSound(4000, at: stage.now, lag: 0) }
    }
    let picture = try #require(stage.pictures.first?.timestamp)
    let sound = try #require(stage.sound.first)
    #expect(abs(AudioInput.time(of: sound.position) - picture) <= 50_000, "\(AudioInput.time(of: sound.position) - picture)")
    #expect(picture < 5_500_000)
    #expect(sound.position >= AudioInput.position(of: 5_200_000))
  }

  @Test("with one source it produces the same samples as a forward program")
  func sameSamples() throws {
    let stage = try Stage([try Anchor()])
    let inbox = stage.attach(0, isVideo: false)
    let forward = ForwardProgram(carriesAudio: true, carriesVideo: false, now: Instant(microseconds: stage.now))
    forward.setAudio(inbox, now: Instant(microseconds: stage.now))
    var alone: [Int64: [Int16]] = [:]
    try stage.run(4000) { millisecond in
      // The audio of a clock that is 300 ppm fast is stretched equally by both programs.
      stage.anchors[0].pace = 1.0003
      if millisecond % 500 == 100 { stage.anchors[0].report(at: stage.now) }
      if millisecond % 20 == 0 {
        try stage.anchors[0].sendSound(Int16(1000 + millisecond), at: stage.now, lag: millisecond % 60 == 0 ? 30_000 : 0)
      }
      if millisecond % 5 == 1 {
        forward.advance(to: Instant(microseconds: stage.now)) { output in
          if case .sound(let samples, let position) = output { alone[position] = samples }
        }
      }
    }
    let common = stage.sound.filter { alone[$0.position] != nil && $0.position > AudioInput.position(of: 5_500_000) }
    #expect(common.count > 250)
    for (position, samples) in common { #expect(alone[position] == samples, "at \(position)") }
  }

  @Test("a source that stops, floods or sends garbage does not disturb other sources")
  func hostileSource() throws {
    let stage = try Stage([try Anchor(), try Anchor(.vp8)])
    var random = SeededGenerator(seed: 1)
    try stage.run(9000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchors[0].sendPicture(90, at: stage.now, lag: 0) }
      if millisecond % 20 == 0 { try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0) }
      switch millisecond {
      case 0..<1000: if millisecond % 40 == 0 { try stage.anchors[1].sendPicture(200, at: stage.now, lag: 0) }
      case 1000..<2000: stage.anchors[1].sendGarbage((0..<200).map { _ in .random(in: 0...255, using: &random) }, at: stage.now)
      default: break
      }
    }
    let shown = try stage.halves()
    #expect(shown.count >= 210)
    for (time, left, _) in shown where time > 5_500_000 { #expect(abs(left - 90) < 12, "at \(time)") }
    let times = stage.pictures.map(\.timestamp.microseconds)
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == 40_000 })
    // The last picture is shown for a while, then the background.
    #expect(shown.contains { $0.time > 7_500_000 && abs($0.right - 200) < 12 })
    #expect((shown.last?.right ?? 255) < 30)
    #expect(stage.sound.suffix(200).allSatisfy { $0.samples.contains { abs(Int($0)) > 2000 } })
  }

  @Test("without sources it shows the background and is silent, and it reports since when it is empty")
  func empty() throws {
    let stage = try Stage([])
    try stage.run(1000) { _ in }
    #expect(stage.pictures.count >= 20)
    #expect(try stage.halves().allSatisfy { $0.left < 20 && $0.right < 20 })
    #expect(stage.sound.allSatisfy { $0.samples.allSatisfy { $0 == 0 } })
    #expect(stage.program.emptySince == Instant(microseconds: 5_000_000))
  }

  @Test(
    "starts with the audio of its sources, whose pictures arrived earlier, and waits for it from the start",
    arguments: [Int64(0), 250_000])
  func beginning(lag: Int64) throws {
    let stage = try Stage([try Anchor()])
    var waiting: [(due: Int64, time: Int64)] = []
    var late: MergeProgram?
    var frames: [Int64] = []
    var sound: [(position: Int64, samples: [Int16])] = []
    try stage.run(5000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchors[0].sendPicture(90, at: stage.now - 60_000, lag: 60_000) }
      // The network stalls once a second.
      let standstill = max(0, lag - millisecond % 1000 * 1000)
      if millisecond % 20 == 0 { waiting.append((stage.now + standstill, stage.now)) }
      for next in waiting where next.due <= stage.now {
        try stage.anchors[0].sendSound(4000, at: next.time, lag: stage.now - next.time)
      }
      waiting.removeAll { $0.due <= stage.now }
      let now = Instant(microseconds: stage.now)
      if millisecond == 3810 {
        let program = try MergeProgram(picture: MixPicture(width: 64, height: 48, fps: 25, bitrate: 200_000), now: now)
        for isVideo in [true, false] {
          program.setInput(
            isVideo ? "v" : "a", stage.attach(0, isVideo: isVideo), isVideo: isVideo, of: stage.clocks[0], now: now)
        }
        late = program
      }
      guard millisecond % 10 == 0 else { return }
      late?.advance(to: now) { output in
        switch output {
        case .picture(let picture): frames.append(picture.timestamp.microseconds)
        case .sound(let samples, let position): sound.append((position, samples))
        case .keyFrameNeeded: break
        }
      }
    }
    let first = try #require(frames.first)
    #expect(first - 5_000_000 < 4_300_000, "\(first)")
    let heard = sound.filter { $0.position >= AudioInput.position(of: MediaTime(microseconds: first)) }
    #expect(heard.count > 50)
    let silent = heard.dropFirst().filter { !$0.samples.contains { abs(Int($0)) > 2000 } }
      .map { (AudioInput.time(of: $0.position).microseconds - first) / 1000 }
    #expect(silent == [], "milliseconds after the first frame")
  }

  @Test("a frame shows the picture nearest to its time", arguments: [Int64(5), 15, 25, 35])
  func nearest(phase: Int64) throws {
    let stage = try Stage([try Anchor()])
    try stage.run(2000) { millisecond in
      if millisecond % 40 == phase - 1 {
        try stage.anchors[0].sendPicture(millisecond < 1000 ? 60 : 180, at: stage.now, lag: 0)
      }
      if millisecond % 20 == 0 { try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0) }
    }
    let bright = try #require(try stage.halves().first { $0.left > 120 })
    #expect(abs(bright.time - (6_000_000 + phase * 1000)) <= 20_000, "\(bright.time)")
  }

  @Test("stalled decoders do not cause silence: it waits for them and catches up")
  func stalled() throws {
    let stage = try Stage([try Anchor()])
    try stage.run(3000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchors[0].sendPicture(90, at: stage.now, lag: 0) }
      if millisecond % 20 == 0 { try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0) }
      stage.isStalled = (1500..<1800).contains(millisecond)
    }
    let heard = stage.sound.filter { $0.position > AudioInput.position(of: 5_500_000) }
    #expect(heard.count > 200)
    let silent = heard.filter { !$0.samples.contains { abs(Int($0)) > 2000 } }.map { AudioInput.time(of: $0.position) }
    #expect(silent == [])
    let times = stage.pictures.map(\.timestamp.microseconds)
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == 40_000 })
  }

  @Test(
    "decoders that stall for any time leave no gap in the video", arguments: [Int64(150), 550, 900], [25, 30])
  func noHole(standstill: Int64, fps: Int) throws {
    let stage = try Stage([try Anchor()], fps: fps)
    try stage.run(6000) { millisecond in
      if millisecond % 40 == 0 { try stage.anchors[0].sendPicture(90, at: stage.now, lag: 0) }
      if millisecond % 20 == 0 { try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0) }
      // Twice in a row, with one poll in between.
      let since = (millisecond - 2000) % (standstill + 5)
      stage.isStalled = millisecond >= 2000 && millisecond < 2000 + 2 * (standstill + 5) && since < standstill
    }
    let times = stage.pictures.map(\.timestamp.microseconds)
    let steps = zip(times.dropFirst(), times).map { $0 - $1 }
    // A machine that does not keep up produces fewer frames per second: one step below 25 is 24.
    #expect(steps.allSatisfy { (1...42_000).contains($0) }, "\(steps.filter { $0 > 42_000 })")
    #expect(stage.program.counters.skipped == 0)
    // The mix has caught up with the source.
    #expect(try #require(times.last) > stage.now - 500_000)
    let positions = stage.sound.map(\.position)
    #expect(zip(positions.dropFirst(), positions).allSatisfy { $0 == $1 + 480 })
  }

  @Test("audio and video start at the same moment, even if the first picture arrives late")
  func together() throws {
    let stage = try Stage([try Anchor(), try Anchor(.vp8)])
    try stage.run(3000) { millisecond in
      if millisecond % 20 == 0 { try stage.anchors[0].sendSound(4000, at: stage.now, lag: 0) }
      for (index, begin) in [Int64(200), 800].enumerated() where millisecond >= begin && millisecond % 40 == 0 {
        try stage.anchors[index].sendPicture(90, at: stage.now, lag: 0)
      }
    }
    let first = try #require(stage.pictures.first).timestamp
    let heard = AudioInput.time(of: try #require(stage.sound.first).position)
    #expect(first > 5_700_000)
    #expect(heard <= first && first - heard < 10_000, "\(first - heard)")
  }

  @Test("waits longer for a late source, and less again when it recovers")
  func delay() throws {
    let stage = try Stage([try Anchor(), try Anchor()])
    var lag: Int64 = 0
    var waiting: [(due: Int64, time: Int64)] = []
    var longest: Int64 = 0
    try stage.run(40_000) { millisecond in
      if millisecond % 20 == 0 {
        try stage.anchors[0].sendSound(3000, at: stage.now, lag: 0)
        // From the third to the sixth second, every other packet arrives 250 ms late.
        lag = (3000..<6000).contains(millisecond) && millisecond % 40 == 0 ? 250_000 : 0
        waiting.append((stage.now + lag, stage.now))
      }
      for next in waiting where next.due <= stage.now {
        try stage.anchors[1].sendSound(3000, at: next.time, lag: stage.now - next.time)
      }
      waiting.removeAll { $0.due <= stage.now }
      longest = max(longest, stage.program.delay)
    }
    #expect((250_000...400_000).contains(longest))
    #expect(stage.program.delay < 120_000, "\(stage.program.delay)")
    let positions = stage.sound.map(\.position)
    #expect(zip(positions.dropFirst(), positions).allSatisfy { $0 == $1 + 480 })
  }

  @Test("in an audio-only mix, a source that is late or leaves causes no gap or speed-up for the others")
  func newcomer() throws {
    let program = try MergeProgram(picture: nil, now: Instant(microseconds: 5_000_000))
    let anchors = [try Anchor(), try Anchor()]
    let clocks = anchors.map { _ in SharedClock() }
    let decoders = zip(anchors, clocks).map {
      TrackDecoder(TrackReader($0.audio, participant: $1, configuration: .mixedSound), isVideo: false)
    }
    for index in anchors.indices {
      let inbox = DecodedInbox(isVideo: false)
      decoders[index].attach(inbox)
      program.setInput("a\(index)", inbox, isVideo: false, of: clocks[index], now: Instant(microseconds: 5_000_000))
    }
    var (longest, most, slowest) = (Int64(0), 0, Int64(0))
    var lastBlock: Int64 = 0
    var waiting: [(due: Int64, time: Int64)] = []
    for millisecond in Int64(0)..<12_000 {
      let now = 5_000_000 + millisecond * 1000
      if millisecond % 20 == 0 {
        try anchors[0].sendSound(3000, at: now, lag: 0)
        // From the third to the sixth second, every other packet of this participant arrives 250 ms late.
        if (3000..<6000).contains(millisecond) { waiting.append((now + (millisecond % 40 == 0 ? 0 : 250_000), now)) }
      }
      for next in waiting where next.due <= now { try anchors[1].sendSound(3000, at: next.time, lag: now - next.time) }
      waiting.removeAll { $0.due <= now }
      if millisecond == 8000 { program.removeInput("a1", now: Instant(microseconds: now)) }
      guard millisecond % 5 == 0 else { continue }
      for decoder in decoders { decoder.poll(now: Instant(microseconds: now)) {} }
      var blocks = 0
      program.advance(to: Instant(microseconds: now)) { output in if case .sound = output { blocks += 1 } }
      slowest = max(slowest, program.delay)
      guard blocks > 0 else { continue }
      if millisecond > 1000 {
        most = max(most, blocks)
        longest = max(longest, millisecond - lastBlock)
      }
      lastBlock = millisecond
    }
    #expect(slowest >= 250_000, "\(slowest)")
    // Blocks of 10 ms.
    #expect(longest <= 60, "\(longest) ms")
    #expect(most <= 2, "\(most) at once")
  }

  @Test("after 8 hours with clocks 100 ppm off in opposite directions, a flash and its beep are within 40 ms")
  func eightHours() throws {
    let stage = try Stage([try Anchor(), try Anchor()], start: 1_000_000_000)
    stage.anchors[0].pace = 1.0001
    stage.anchors[1].pace = 0.9999
    // A packet of each kind every 6 s and a report every 5 s, as from a still and silent source.
    for second in stride(from: 0, to: 8 * 3600, by: 1) {
      stage.now += 1_000_000
      for anchor in stage.anchors {
        if second % 6 == 0 {
          anchor.wantsKeyFrame = true
          try anchor.sendPicture(30, at: stage.now, lag: 20_000)
          try anchor.sendSound(0, at: stage.now, lag: 10_000)
        }
        if second % 5 == 0 { anchor.report(at: stage.now) }
      }
      stage.poll()
    }
    // Then both flash and beep at the same time.
    let flash: Int64 = 12_000
    try stage.run(14_000) { millisecond in
      let isOn = (flash..<flash + 200).contains(millisecond)
      for (index, anchor) in stage.anchors.enumerated() {
        if millisecond % 5000 == 0 { anchor.report(at: stage.now) }
        if millisecond % 40 == 0 { try anchor.sendPicture(isOn ? 230 : 30, at: stage.now, lag: 20_000) }
        if millisecond % 20 == 0 { try anchor.sendSound(isOn && index == 0 ? 12_000 : 0, at: stage.now, lag: 10_000) }
      }
    }
    let shown = try stage.halves()
    let left = try #require(shown.first { $0.left > 150 }).time
    let right = try #require(shown.first { $0.right > 150 }).time
    var heard: Int64?
    for block in stage.sound where heard == nil {
      if let index = block.samples.firstIndex(where: { abs(Int($0)) > 4000 }) {
        heard = AudioInput.time(of: block.position + Int64(index / 2)).microseconds
      }
    }
    let beep = try #require(heard)
    #expect(abs(left - beep) <= 40_000, "\(left - beep)")
    #expect(abs(right - beep) <= 40_000, "\(right - beep)")
  }
}
