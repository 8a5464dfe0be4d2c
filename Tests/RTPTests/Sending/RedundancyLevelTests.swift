import Testing

@testable import RoomRTP

@Suite("the redundancy of audio by loss")
struct RedundancyLevelTests {
  private struct Path {
    var level = RedundancyLevel()
    var now = Instant(microseconds: 0)

    /// Reports each second; returns the distance after each report.
    mutating func report(_ loss: Double, seconds: Int, every: Int64 = 1, isAffordable: Bool = true) -> [UInt8] {
      (0..<seconds).map { _ in
        now = now.advanced(milliseconds: every * 1000)
        level.update(fractionLost: UInt8(min(255, loss * 256)), now: now, isAffordable: isAffordable)
        return level.distance
      }
    }
  }

  @Test("without losses there is none", arguments: [1, 5] as [Int64])
  func none(interval: Int64) {
    var path = Path()
    #expect(path.report(0, seconds: 60, every: interval).allSatisfy { $0 == 0 })
  }

  @Test("a loss of a fifth gets two copies with the first report, 3 % gets one, half a per cent none")
  func rises() {
    for interval in [1, 5] as [Int64] {
      var path = Path()
      #expect(path.report(0.2, seconds: 1, every: interval) == [2])
      path = Path()
      #expect(path.report(0.03, seconds: 20, every: interval).dropFirst(2).allSatisfy { $0 == 1 })
      path = Path()
      #expect(path.report(0.005, seconds: 20, every: interval).allSatisfy { $0 == 0 })
    }
  }

  @Test("a large loss of the path counts before the first report, a small one and an unaffordable one do not")
  func path() {
    var level = RedundancyLevel()
    level.raise(to: 0.04)
    #expect(level.distance == 0)
    level.raise(to: 0.1, isAffordable: false)
    #expect(level.distance == 0)
    level.setAffordable(true)
    #expect(level.distance == 2)
    level.raise(to: 0.06)
    #expect(level.loss == 0.1)
  }

  @Test("one lost packet of fifty changes nothing")
  func single() {
    var path = Path()
    _ = path.report(0, seconds: 5)
    #expect(path.report(0.02, seconds: 1) == [0])
    #expect(path.report(0, seconds: 5).allSatisfy { $0 == 0 })
  }

  @Test("it falls step by step within a minute, and never rises meanwhile")
  func falls() {
    var path = Path()
    _ = path.report(0.2, seconds: 20)
    let distances = path.report(0, seconds: 60)
    #expect(distances.first == 2 && distances.contains(1) && distances.last == 0)
    #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 >= $1 })
  }

  @Test("near a limit it stays", arguments: [0.011, 0.049])
  func hysteresis(limit: Double) {
    var path = Path()
    _ = path.report(limit, seconds: 10)
    var changes = 0
    var last = path.level.distance
    for turn in 0..<200 {
      let distance = path.report(limit + (turn % 2 == 0 ? 0.006 : -0.006), seconds: 1)[0]
      if distance != last { changes += 1 }
      last = distance
    }
    #expect(changes <= 1)
  }

  @Test("the blocks of one report count as one, by their mean")
  func blocks() {
    var one = RedundancyLevel()
    var many = RedundancyLevel()
    let now = Instant(microseconds: 1)
    one.update(fractionLost: 10, now: now)
    for block in [20, 0, 20, 0] as [UInt8] { many.update(fractionLost: block, now: now) }
    #expect(abs(one.loss - many.loss) < 1e-9)
  }

  @Test("without capacity there is none, at once; with it again there is")
  func capacity() {
    var path = Path()
    _ = path.report(0.2, seconds: 5)
    path.level.setAffordable(false)
    #expect(path.level.distance == 0)
    #expect(path.report(0.2, seconds: 3, isAffordable: false) == [0, 0, 0])
    path.level.setAffordable(true)
    #expect(path.level.distance == 2)
  }
}
