import RoomLinkModel
import Testing

@testable import RoomLoadtest
@testable import RoomLossyLink

@Suite("The figures of a browser behind a bad link")
struct PageFiguresTests {
  /// Samples of `seconds` at 5 Hz with 20 pictures and 48,000 samples of sound a second, from second 1000 on. `change` adjusts
  /// the sample of a time in seconds.
  private func samples(_ seconds: Int, _ change: (Double, inout PageSample) -> Void = { _, _ in }) -> [PageSample] {
    (0...(seconds * 5)).map { index in
      let time = Double(index) / 5
      var sample = PageSample(at: 1_000_000 + time * 1000)
      sample.video.framesDecoded = 20 * time
      sample.video.packetsReceived = 100 * time
      sample.video.totalFreezesDuration = 0
      sample.video.frameHeight = 360
      sample.audio.totalSamplesReceived = 48_000 * time
      sample.audio.concealedSamples = 0
      sample.audio.silentConcealedSamples = 0
      change(time, &sample)
      return sample
    }
  }

  private func figures(_ samples: [PageSample], interruption: ClosedRange<Double>? = nil) -> [NetworkFigure: Double] {
    PageFigures(samples: samples, window: 1_000_000...2_000_000, epoch: 900_000).figures(interruption: interruption)
  }

  @Test("a steady stream has its frame rate, no freeze and no concealment")
  func steady() {
    let figures = figures(samples(10))
    #expect(figures[.fpsP5].map { abs($0 - 20) < 0.01 } == true && figures[.fpsP50].map { abs($0 - 20) < 0.01 } == true)
    #expect(figures[.frozen] == 0 && figures[.concealed] == 0 && figures[.changes] == 0 && figures[.height] == 360)
  }

  @Test("freezes are the browser's own count, and the one that is not over")
  func freezes() throws {
    let counted = figures(samples(10) { time, sample in sample.video.totalFreezesDuration = time >= 5 ? 1 : 0 })
    #expect(try abs(#require(counted[.frozen]) - 10) < 0.01)
    // The browser reports a freeze only when the next picture comes.
    let lasting = figures(samples(10) { time, sample in sample.video.framesDecoded = 20 * min(time, 4) })
    #expect(try abs(#require(lasting[.frozen]) - 60) < 0.01)
    #expect(lasting[.fpsP5] == 0)
    let never = figures(samples(10) { _, sample in sample.video.framesDecoded = nil })
    #expect(never[.frozen] == 100)
  }

  @Test("concealment is a share of what is played, with and without the silence of longer losses")
  func concealment() throws {
    let figures = figures(
      samples(10) { time, sample in
        sample.audio.concealedSamples = 4800 * time
        sample.audio.silentConcealedSamples = 3600 * time
      })
    #expect(try abs(#require(figures[.concealed]) - 10) < 0.01)
    #expect(try abs(#require(figures[.invented]) - 2.5) < 0.01)
  }

  @Test("a layer is settled when the height of most pictures is first reached")
  func layers() throws {
    let figures = figures(samples(10) { time, sample in sample.video.frameHeight = time < 3 ? 360 : 180 })
    #expect(figures[.height] == 180 && figures[.changes] == 1)
    #expect(try abs(#require(figures[.settled]) - 3) < 0.01)
  }

  @Test("after an interruption, sound is back when it is not concealed, and the picture when one is decoded")
  func interruption() throws {
    let figures = figures(
      samples(10) { time, sample in
        sample.audio.concealedSamples = 48_000 * min(max(0, time - 3), 2.5)
        sample.video.framesDecoded = time < 3 ? 20 * time : max(60, 20 * (time - 3))
      }, interruption: 3...5)
    #expect(try abs(#require(figures[.soundBack]) - 0.8) < 0.01)
    #expect(try abs(#require(figures[.pictureBack]) - 1.2) < 0.01)
  }

  @Test("the delay is read by the clock of this project's senders, or by that of 1900")
  func delay() throws {
    for epoch in [900_000.0, -2_208_988_800_000] {
      let figures = figures(samples(10) { _, sample in sample.video.estimatedPlayoutTimestamp = sample.at - epoch - 80 })
      #expect(try abs(#require(figures[.delayP50]) - 80) < 0.01)
    }
    #expect(figures(samples(10) { _, sample in sample.video.estimatedPlayoutTimestamp = 5 })[.delayP50] == nil)
  }

  @Test("the offered share is that of the rates at the time, without the first three seconds")
  func offered() throws {
    let (thin, wide) = (NetworkScenario.path(kbps: 800), NetworkScenario.path(kbps: 1600))
    let schedule = try #require(
      LinkSchedule([.init(at: 0, down: thin, up: .perfect), .init(at: 5_000_000, down: wide, up: .perfect)]))
    // 10 kB in 100 ms are 800 kbit/s: all of the first rate and half of the second.
    var slots = [LinkLog.Slot](repeating: LinkLog.Slot(), count: 70)
    for index in slots.indices { slots[index].offered = index < 30 ? 1_000_000 : 10_000 }
    let share = try #require(LinkFigures.offered(slots, schedule, isUp: false))
    #expect(abs(share - 100 * 4 / 6) < 0.01)
    #expect(LinkFigures.offered(slots, schedule, isUp: true) == nil)
  }
}
