import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomSFU

@Suite("the division of a path's bitrate")
struct AllocationTests {
  private func demand(
    _ rates: [Int], frameRates: Int = 1, current: Int = -1, priority: Int = 0, mayRise: Bool = true
  ) -> Allocation.Demand {
    .init(rates: rates, frameRates: frameRates, current: current, priority: priority, mayRise: mayRise)
  }

  @Test("everybody gets the smallest picture before somebody gets a larger one")
  func smallestFirst() {
    let demands = [demand([100, 400, 1200]), demand([100, 400, 1200]), demand([100, 400, 1200])]
    #expect(Allocation.choose(demands, bitrate: 380, pauses: true) == [0, 0, 0])
    #expect(Allocation.choose(demands, bitrate: 760, pauses: true) == [1, 0, 0])
    #expect(Allocation.choose(demands, bitrate: 1400, pauses: true) == [1, 1, 1])
    #expect(Allocation.choose(demands, bitrate: 5000, pauses: true) == [2, 2, 2])
  }

  @Test("those of the lowest priority are paused first, and nobody if no limit is known")
  func paused() {
    let demands = [demand([300]), demand([300], priority: 64), demand([300])]
    #expect(Allocation.choose(demands, bitrate: 700, pauses: true) == [0, 0, -1])
    #expect(Allocation.choose(demands, bitrate: 400, pauses: true) == [-1, 0, -1])
    #expect(Allocation.choose(demands, bitrate: 0, pauses: true) == [-1, -1, -1])
    #expect(Allocation.choose(demands, bitrate: 0, pauses: false) == [0, 0, 0])
  }

  @Test("a pinned track rises before all others")
  func pinned() {
    let demands = [demand([100, 400, 1200]), demand([100, 400, 1200], priority: 128)]
    #expect(Allocation.choose(demands, bitrate: 1600, pauses: true) == [0, 2])
  }

  @Test("a step up needs room and patience; what is sent stays as long as it fits")
  func margins() {
    #expect(Allocation.choose([demand([100, 400], current: 1)], bitrate: 400, pauses: true) == [1])
    #expect(Allocation.choose([demand([100, 400], current: 0)], bitrate: 400, pauses: true) == [0])
    #expect(Allocation.choose([demand([100, 400], current: 0)], bitrate: 460, pauses: true) == [1])
    #expect(Allocation.choose([demand([100, 400], current: 0, mayRise: false)], bitrate: 5000, pauses: true) == [0])
    #expect(Allocation.choose([demand([100], current: -1, mayRise: false)], bitrate: 5000, pauses: true) == [-1])
    let frames = demand([100, 200, 400], frameRates: 2, current: 0)
    #expect(Allocation.choose([frames], bitrate: 209, pauses: true) == [0])
    #expect(Allocation.choose([frames], bitrate: 211, pauses: true) == [1], "a higher frame rate needs less room")
    #expect(Allocation.choose([frames], bitrate: 439, pauses: true) == [1])
  }

  @Test("a choice never exceeds the bitrate, does not starve a higher priority, and repeats itself")
  func properties() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<5000 {
      let demands = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        let small = Int.random(in: 50...300, using: &random)
        let count = Int.random(in: 1...3, using: &random)
        return demand(
          (0..<count).map { small << ($0 * 2) }, current: Int.random(in: -1..<count, using: &random),
          priority: Int.random(in: 0...255, using: &random), mayRise: Bool.random(using: &random))
      }
      let bitrate = Int.random(in: 0...6000, using: &random)
      let choice = Allocation.choose(demands, bitrate: bitrate, pauses: true)
      let used = zip(demands, choice).reduce(0) { $1.1 < 0 ? $0 : $0 + $1.0.rates[$1.1] }
      #expect(used <= bitrate)
      #expect(choice == Allocation.choose(demands, bitrate: bitrate, pauses: true))
      for (index, layer) in choice.enumerated() where layer < 0 && demands[index].mayRise {
        let need = Int((Double(demands[index].rates[0]) * 1.1).rounded(.up))
        let spent = demands.indices.filter { demands[$0].priority < demands[index].priority && choice[$0] >= 0 }
        // Its smallest picture would not fit even without what those of lower priority have beyond theirs.
        let extra = demands.indices.filter { choice[$0] > 0 }.reduce(0) {
          $0 + demands[$1].rates[choice[$1]] - demands[$1].rates[0]
        }
        #expect(spent.isEmpty || bitrate - used + extra < need + spent.reduce(0) { $0 + demands[$1].rates[0] })
      }
    }
  }

  @Test("shares are even, and what one does not need goes to the others")
  func shares() {
    #expect(Allocation.shares(of: 600, needs: [1000, 1000, 1000]) == [200, 200, 200])
    #expect(Allocation.shares(of: 600, needs: [100, 1000, 1000]) == [100, 250, 250])
    #expect(Allocation.shares(of: 600, needs: [100, 200]) == [100, 200])
    #expect(Allocation.shares(of: -5, needs: [100]) == [0])
  }
}

@Suite("the quality of a connection")
struct QualityMeterTests {
  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test("it falls at once, and rises after three better seconds")
  func hysteresis() {
    var meter = QualityMeter()
    #expect(meter.update(.init(), now: at(0)) == nil, "good is the beginning")
    #expect(meter.update(.init(isPaused: true), now: at(1)) == .bad)
    #expect(meter.update(.init(), now: at(2)) == nil)
    #expect(meter.update(.init(), now: at(4)) == nil)
    #expect(meter.update(.init(isPaused: true), now: at(5)) == nil)
    #expect(meter.update(.init(), now: at(6)) == nil)
    #expect(meter.update(.init(), now: at(9)) == .good)
  }

  @Test("a single lost packet of a few says little; lasting loss says much")
  func loss() {
    var meter = QualityMeter()
    #expect(meter.update(.init(loss: 0.06), now: at(0)) == nil)
    #expect(meter.update(.init(), now: at(1)) == nil)
    var last: LinkQuality?
    for second in 2..<8 { last = meter.update(.init(loss: 0.2), now: at(Int64(second))) ?? last }
    #expect(last == .bad)
  }
}
