import RoomLinkModel
import RoomRTP
import Testing

@Suite("The estimate of a path's bitrate")
struct PathEstimatorTests {
  private func time(_ milliseconds: Int) -> Instant { Instant(microseconds: Int64(milliseconds) * 1000) }

  /// Sends `kbps` for a time, and reports all packets with a one-way delay of 50 ms every 50 ms.
  private func play(_ estimator: inout PathEstimator, kbps: Int, milliseconds range: Range<Int>) {
    for step in stride(from: range.lowerBound, to: range.upperBound, by: 50) {
      for offset in stride(from: 0, to: 50, by: 10) {
        let sent = time(step + offset)
        estimator.sent(at: sent)
        estimator.take(PacketOutcome(sent: sent, size: kbps * 10 / 8, arrival: sent.advanced(milliseconds: 50)))
      }
      estimator.update(roundTrip: 100_000, now: time(step + 150))
    }
  }

  @Test("it is one small value, which a server keeps for each subscriber")
  func size() {
    #expect(MemoryLayout<PathEstimator>.size <= 1024)
  }

  @Test("the far end's own estimate is a cap, and a new one replaces it")
  func cap() {
    var estimator = PathEstimator(.init(start: 1_000_000))
    estimator.limit(to: 400_000)
    #expect(estimator.target == 400_000)
    play(&estimator, kbps: 400, milliseconds: 0..<5000)
    #expect(estimator.target == 400_000)
    estimator.limit(to: 0)
    #expect(estimator.target == 100_000)
    estimator.limit(to: .max)
    #expect(estimator.target >= 900_000)
  }

  @Test("no feedback halves the target, then again each second; the first feedback brings half of it back")
  func silence() throws {
    var estimator = PathEstimator(.init(start: 1_000_000))
    #expect(estimator.deadline == nil)
    play(&estimator, kbps: 1000, milliseconds: 0..<3000)
    let before = estimator.target
    for step in stride(from: 3200, to: 7000, by: 10) {
      estimator.sent(at: time(step))
      if let due = estimator.deadline, due <= time(step) { estimator.advance(to: time(step)) }
    }
    #expect(estimator.state == .silent)
    #expect(estimator.target <= before / 7)
    play(&estimator, kbps: 100, milliseconds: 7000..<7050)
    #expect(estimator.state == .growing)
    #expect(estimator.target >= before / 2)
  }

  @Test("a source that pauses is not silence of the far end")
  func pause() throws {
    var estimator = PathEstimator(.init(start: 1_000_000))
    play(&estimator, kbps: 1000, milliseconds: 0..<3000)
    let before = estimator.target
    estimator.sent(at: time(3200))
    while let due = estimator.deadline, due < time(60_000) { estimator.advance(to: due) }
    #expect(estimator.target == before)
  }

  @Test("a source that sends far less than the target neither raises it without end nor is probed")
  func applicationLimited() {
    var estimator = PathEstimator(.init(start: 1_000_000))
    for second in 0..<60 {
      play(&estimator, kbps: 300, milliseconds: second * 1000..<(second + 1) * 1000)
      let probe = estimator.nextProbe(now: time(second * 1000 + 1100))
      #expect(probe == nil)
    }
    #expect(estimator.target <= 1_100_000)
  }

  @Test("a path with room is probed, and what the probe delivers is the new target")
  func probe() throws {
    var estimator = PathEstimator(.init(start: 500_000))
    estimator.wanted = 3_000_000
    play(&estimator, kbps: 500, milliseconds: 0..<1000)
    let early = estimator.nextProbe(now: time(600))
    #expect(early == nil)
    let next = estimator.nextProbe(now: time(1150))
    let probe = try #require(next)
    #expect(probe.bitrate > 1_200_000)
    let second = estimator.nextProbe(now: time(1160))
    #expect(second == nil)
    let count = probe.bytes / 250
    for index in 0..<count {
      let sent = time(1150).advanced(microseconds: probe.duration * Int64(index) / Int64(count))
      estimator.sent(probe: probe.id, at: sent)
      estimator.take(PacketOutcome(sent: sent, size: 250, arrival: sent.advanced(milliseconds: 50), probe: probe.id))
    }
    estimator.update(roundTrip: 100_000, now: time(1300))
    #expect(Double(estimator.target) > Double(probe.bitrate) * 0.9)
  }

  @Test("reports of loss alone do not lower the target unless the round trip grows")
  func reports() {
    var estimator = PathEstimator(.init(start: 1_000_000))
    for second in 0..<20 { estimator.report(fractionLost: 0.12, roundTrip: 80_000, now: time(second * 1000)) }
    #expect(estimator.target >= 850_000)
    for second in 20..<24 { estimator.report(fractionLost: 0.2, roundTrip: 380_000, now: time(second * 1000)) }
    #expect(estimator.target < 700_000)
  }

  @Test("any outcome and any report leaves the target in its bounds", arguments: 1...20 as ClosedRange<UInt64>)
  func survivesNoise(seed: UInt64) {
    var random = RoomLinkModel.SeededGenerator(seed: seed)
    var estimator = PathEstimator(.init(start: 1_000_000, minimum: 100_000, maximum: 5_000_000))
    var now: Int64 = 0
    for _ in 0..<5000 {
      now += Int64.random(in: 0...40_000, using: &random)
      let span: Int64 = [1_000_000, 1 << 40, Int64.max / 4][Int(random.next() % 3)]
      let at = Instant(microseconds: Int64.random(in: -span...span, using: &random))
      let isLost = Bool.random(using: &random)
      estimator.sent(probe: .random(in: 0...3, using: &random), at: Instant(microseconds: now))
      estimator.take(
        PacketOutcome(
          sent: Bool.random(using: &random) ? at : Instant(microseconds: now), size: .random(in: 0...1500, using: &random),
          arrival: isLost ? nil : at, probe: .random(in: 0...3, using: &random)))
      switch random.next() % 8 {
      case 0: estimator.update(roundTrip: .random(in: -span...span, using: &random), now: Instant(microseconds: now))
      case 1:
        estimator.report(
          fractionLost: random.fraction(), roundTrip: .random(in: -span...span, using: &random),
          now: Instant(microseconds: now))
      case 2: estimator.advance(to: Instant(microseconds: now))
      case 3: _ = estimator.nextProbe(now: Instant(microseconds: now))
      default: break
      }
      #expect((100_000...5_000_000).contains(estimator.target))
    }
  }
}
