import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomMedia

@Suite("The playout of a live stream, in virtual time")
struct PlayoutTests {
  /// A stream of 25 pictures and 50 frames of sound a second, with a key frame every second, and its viewer.
  private struct Viewer {
    var playout = Playout(settings: .init(buffer: 500_000, latencyLimit: 2_000_000))
    var now = Instant(microseconds: 7_000_000)
    /// What is shown: the time in the stream, and the instant at which it is due. In ms.
    var shown: [(time: Int64, due: Int64)] = []
    var heard: [(time: Int64, due: Int64)] = []
    var hidden = 0

    static func sample(_ codec: StreamSample.Codec, _ milliseconds: Int64, isKeyFrame: Bool) -> StreamSample {
      let time = MediaTime(milliseconds: milliseconds)
      return StreamSample(
        codec: codec, configuration: [1], data: [0, 0, 0], decodingTime: time, time: time, isKeyFrame: isKeyFrame)
    }

    /// Delivers the part of the stream from one time to another, in ms, at once.
    mutating func arrive(_ times: Range<Int64>) {
      for time in times {
        if time % 40 == 0 { playout.add(Self.sample(.h264, time, isKeyFrame: time % 1000 == 0), now: now) }
        if time % 20 == 0 { playout.add(Self.sample(.aac, time, isKeyFrame: true), now: now) }
      }
    }

    /// Passes time in steps of 10 ms. `arriving` returns the part of the stream that arrives at each, by the time passed in ms.
    mutating func pass(_ milliseconds: Int64, _ arriving: (Int64) -> Range<Int64>? = { _ in nil }) {
      for step in stride(from: Int64(0), to: milliseconds, by: 10) {
        if let times = arriving(step) { arrive(times) }
        while let step = playout.next(now: now) {
          guard !step.isHidden, let due = playout.due(step.sample.time) else {
            hidden += 1
            continue
          }
          let entry = (step.sample.time.milliseconds, due.microseconds / 1000)
          if step.sample.codec.isVideo { shown.append(entry) } else { heard.append(entry) }
        }
        now = now.advanced(milliseconds: 10)
      }
    }
  }

  @Test("a steady stream is shown at its own speed, half a second after its arrival, picture and sound together")
  func steady() {
    var viewer = Viewer()
    let start = viewer.now.microseconds / 1000
    viewer.pass(5000) { $0..<($0 + 10) }
    #expect(viewer.shown.count > 110 && viewer.heard.count > 220)
    for (time, due) in viewer.shown + viewer.heard { #expect(due - start - time == 500, "\(time)") }
    #expect(viewer.playout.counters == .init())
    #expect((480_000...520_000).contains(viewer.playout.delay(now: viewer.now)))
  }

  @Test("of the group of pictures that a server sends at once, only the newest half second is shown")
  func burst() {
    var viewer = Viewer()
    viewer.pass(4000) { $0 == 0 ? 0..<1900 : (1890 + $0)..<(1900 + $0) }
    let first = viewer.shown.first?.time ?? 0
    #expect((1860...1960).contains(first), "\(first)")
    #expect(abs((viewer.heard.first?.time ?? 0) - first) <= 40)
    #expect(viewer.hidden > 20, "earlier pictures are decoded")
    #expect(viewer.playout.delay(now: viewer.now) < 550_000)
  }

  @Test("jitter below the buffer is not noticed")
  func jitter() {
    var viewer = Viewer()
    // Every 400 ms, what was sent in the last 400 ms arrives.
    viewer.pass(8000) { $0 % 400 == 0 ? $0..<($0 + 400) : nil }
    let gaps = zip(viewer.shown.dropFirst(), viewer.shown).map { $0.due - $1.due }
    #expect(viewer.shown.count > 170)
    #expect(gaps.allSatisfy { $0 == 40 }, "\(gaps)")
    #expect(viewer.playout.counters.stalls == 0)
  }

  @Test("a gap of a second pauses once, and nothing of the stream is lost")
  func stall() {
    var viewer = Viewer()
    viewer.pass(8000) { step in
      switch step {
      case 3000..<4000: nil
      case 4000: 3000..<4010
      default: step..<(step + 10)
      }
    }
    #expect(viewer.playout.counters.stalls == 1)
    #expect(viewer.playout.counters.jumps == 0)
    let steps = zip(viewer.shown.dropFirst(), viewer.shown).map { $0.time - $1.time }
    #expect(steps.allSatisfy { $0 == 40 }, "\(steps)")
    #expect(zip(viewer.shown.dropFirst(), viewer.shown).allSatisfy { $0.due > $1.due })
  }

  @Test("after ten seconds without the network it continues with the newest, from a key frame")
  func jump() {
    var viewer = Viewer()
    viewer.pass(16_000) { step in
      switch step {
      case 3000..<13_000: nil
      case 13_000: 3000..<13_010
      default: step..<(step + 10)
      }
    }
    #expect(viewer.playout.counters.jumps == 1)
    #expect(viewer.playout.counters.dropped > 150, "old pictures are not decoded")
    #expect(viewer.playout.delay(now: viewer.now) < 600_000)
    let last = viewer.shown.suffix(30)
    #expect(zip(last.dropFirst(), last).allSatisfy { $0.time - $1.time == 40 })
  }

  @Test("pictures that lag behind the sound are awaited")
  func lateVideo() {
    var viewer = Viewer()
    for step in stride(from: Int64(0), to: 6000, by: 10) {
      // The pictures arrive 700 ms after the sound of the same time.
      if step % 20 == 0 { viewer.playout.add(Viewer.sample(.aac, step, isKeyFrame: true), now: viewer.now) }
      let time = step - 700
      if time >= 0, time % 40 == 0 {
        viewer.playout.add(Viewer.sample(.h264, time, isKeyFrame: time % 1000 == 0), now: viewer.now)
      }
      viewer.pass(10)
    }
    let late = viewer.shown.suffix(60).filter { $0.due < viewer.now.microseconds / 1000 - 4000 }
    #expect(viewer.shown.count > 60 && late.isEmpty)
    #expect(viewer.playout.delay(now: viewer.now) >= 700_000)
  }

  @Test("after a picture that cannot be decoded, the next is a key frame")
  func skips() {
    var viewer = Viewer()
    viewer.pass(1500) { $0..<($0 + 10) }
    viewer.playout.skipToKeyFrame()
    viewer.shown = []
    viewer.pass(2000) { ($0 + 1500)..<($0 + 1510) }
    #expect(viewer.shown.first?.time == 2000)
  }

  @Test("another connection starts anew, and bytes are limited")
  func restart() {
    var viewer = Viewer()
    viewer.pass(2000) { $0..<($0 + 10) }
    viewer.playout.restart()
    #expect(!viewer.playout.isPlaying && viewer.playout.deadline == nil)
    viewer.shown = []
    viewer.pass(2000) { $0..<($0 + 10) }
    #expect(viewer.shown.first?.time == 0)

    var small = Playout(settings: .init(bytes: 10_000))
    for number in Int64(0)..<200 {
      var sample = Viewer.sample(.h264, number * 2, isKeyFrame: number % 50 == 0)
      sample.data = [UInt8](repeating: 0, count: 1000)
      small.add(sample, now: Instant(microseconds: 0))
    }
    #expect(small.counters.dropped >= 150)
  }

  @Test("any order of samples, losses and pauses keeps its promises", arguments: 0..<50)
  func walks(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var playout = Playout(settings: .init(buffer: 300_000, latencyLimit: 1_500_000, bytes: 200_000))
    var now = Instant(microseconds: 0)
    var time: Int64 = 0
    for _ in 0..<3000 {
      time += Int64.random(in: -200...240, using: &random)
      var sample = Viewer.sample(
        Bool.random(using: &random) ? .h264 : .aac, time, isKeyFrame: Int.random(in: 0..<20, using: &random) == 0)
      sample.data = [UInt8](repeating: 0, count: Int.random(in: 0...20_000, using: &random))
      playout.add(sample, now: now)
      now = now.advanced(milliseconds: Int64.random(in: 0...300, using: &random))
      var steps = 0
      while playout.next(now: now) != nil { steps += 1 }
      #expect(steps < 3000)
      if Int.random(in: 0..<200, using: &random) == 0 { playout.skipToKeyFrame() }
      if Int.random(in: 0..<500, using: &random) == 0 { playout.restart() }
      #expect(playout.waitingBytes <= 200_000)
    }
  }
}
