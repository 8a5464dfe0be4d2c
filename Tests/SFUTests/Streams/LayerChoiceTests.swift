import RoomRTP
import Testing

@testable import RoomSFU

@Suite("choice among layers")
struct LayerChoiceTests {
  private func layer(_ index: Int, _ height: Int, fps: Int = 30, isLive: Bool = true, isSteady: Bool = true) -> LayerSet.Layer {
    LayerSet.Layer(
      index: index, width: height * 16 / 9, height: height, framesPerSecond: fps, kbps: height, isKnown: true, isLive: isLive,
      isSteady: isLive && isSteady)
  }

  private func limits(height: Int? = nil, fps: Int? = nil) -> SubscriptionSlot.Limits {
    .init(Reception(maxHeight: height, maxFps: fps))
  }

  @Test("the order is that of sizes, whichever way the publisher lists them")
  func order() {
    for order in [[180, 360, 720], [720, 360, 180], [360, 720, 180]] {
      let set = LayerSet(order.enumerated().map { layer($0.offset, $0.element) })
      #expect(set.ascending.map(\.height) == [180, 360, 720])
      #expect(set.sent(limits(), current: 0)?.height == 720)
      #expect(set.sent(limits(height: 719), current: 0)?.height == 360)
      #expect(set.sent(limits(height: 1), current: 0)?.height == 180)
    }
  }

  @Test("a program gets the smallest layer that it need not enlarge by more than a half")
  func programs() {
    let set = LayerSet([layer(0, 180), layer(1, 360), layer(2, 720)])
    for (height, expected) in [(180, 180), (270, 180), (360, 360), (540, 360), (541, 720), (2000, 720)] {
      let size = PictureSize(width: height * 16 / 9, height: height)
      #expect(set.sent(enoughFor: size, current: 0)?.height == expected, "\(height)")
    }
    #expect(set.sent(enoughFor: nil, current: 0)?.height == 720)
    let without = LayerSet([layer(0, 180), layer(1, 360, isLive: false), layer(2, 720)])
    #expect(without.sent(enoughFor: .init(width: 640, height: 360), current: 0)?.height == 720)
    #expect(without.wanted(enoughFor: .init(width: 640, height: 360))?.height == 360)
  }

  @Test("a limit of the frame rate tolerates what measuring varies")
  func frameRate() {
    let set = LayerSet([layer(0, 180, fps: 16), layer(1, 360), layer(2, 720)])
    #expect(set.sent(limits(fps: 15), current: 2)?.height == 180)
    #expect(set.sent(limits(fps: 30), current: 2)?.height == 720)
    var temporal = [layer(0, 180, fps: 16), layer(1, 360), layer(2, 720)]
    temporal[1].lowestFramesPerSecond = 8
    #expect(LayerSet(temporal).sent(limits(fps: 15), current: 2)?.height == 360, "with fewer frames")
  }

  @Test("a layer that has just begun is not taken in place of a live one, but in place of none")
  func steadiness() {
    let begun = layer(2, 720, isSteady: false)
    #expect(LayerSet([layer(0, 180), layer(1, 360), begun]).sent(limits(), current: 1)?.height == 360)
    #expect(LayerSet([layer(0, 180), layer(1, 360), begun]).sent(limits(), current: 2)?.height == 720)
    #expect(LayerSet([layer(0, 180, isLive: false), begun]).sent(limits(), current: 0)?.height == 720)
    #expect(LayerSet([layer(0, 180, isLive: false)]).sent(limits(), current: 0) == nil)
    #expect(LayerSet([layer(0, 180), layer(2, 720, isLive: false)]).wanted(limits())?.height == 720)
  }

  @Test("layers of unknown size have the order of their bitrates, and fit no limit of size")
  func unknownSizes() {
    var layers = [layer(0, 0), layer(1, 0)]
    layers[0].kbps = 900
    layers[1].kbps = 100
    let set = LayerSet(layers)
    #expect(set.sent(limits(), current: 0)?.index == 0)
    #expect(set.sent(limits(height: 1000), current: 0)?.index == 1)
  }

  @Test("a layer is wanted at once, and given up after five seconds without use")
  func demand() {
    var demand = LayerDemand()
    func update(_ used: UInt8, _ seconds: Int64) -> Bool {
      demand.update(used: used, count: 3, now: Instant(microseconds: seconds * 1_000_000))
    }
    #expect(!update(0b001, 0) && !update(0b011, 4) && !update(0b001, 4))
    #expect(update(0b001, 5) && demand.wanted & 7 == 0b011)
    #expect(!update(0b001, 8) && update(0b001, 9) && demand.wanted & 7 == 0b001)
    #expect(update(0b101, 9) && demand.wanted & 7 == 0b101)
  }

  @Test("timestamps go forward by the time between captures, bounded by the time between arrivals")
  func seam() {
    func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }
    func clock(_ rtp: UInt32) -> SenderClock {
      var clock = SenderClock()
      clock.report(ntp: NTPTime(at(1000)), rtpTimestamp: rtp, now: at(1000))
      return clock
    }
    // The last frame was captured at 1,100 ms and sent as 59,000; the next layer's first is captured at `captured`.
    func step(captured: Int64, arrived: Int64, reports: Bool = true) -> UInt32 {
      let end = LayerSeam.End(
        timestamp: 59_000, at: at(1120), clock: reports ? clock(10_000) : SenderClock(), offset: 40_000)
      let first: UInt32 = 4_294_960_000 &+ UInt32(captured - 1000) * 90
      let offset = LayerSeam.offset(
        after: end, to: first, clock: clock(4_294_960_000), now: at(arrived), clockRate: 90_000)
      return first &+ offset &- 59_000
    }
    #expect((2969...2971).contains(step(captured: 1133, arrived: 1150)))
    #expect(step(captured: 1100, arrived: 1121) == 1, "the same moment in another size")
    #expect(step(captured: 1000, arrived: 1150) == 1)
    #expect(step(captured: 9000, arrived: 1150) == 80 * 90, "at most 50 ms ahead of the arrival")
    #expect(step(captured: 1133, arrived: 1150, reports: false) == 30 * 90, "without reports, by arrival")
  }
}
