import RoomLinkModel
import RoomRTP
import Testing

/// What a sender may expect of the estimate on bad paths, in virtual time. A figure holds in 95 % of the seeds.
@Suite("Congestion control on bad paths")
struct CongestionGoalTests {
  @Test("a link that loses three quarters of its rate is calm within 2 s, and used again within 3 s after it recovers")
  func drop() {
    let figures = Figures("4>1>4: calm s, queue p50 p95 ms at 1, use % at 1, 2.0 after s") { seed in
      let network = VirtualNetwork(bottleneck(4e6), seed: seed)
      let flow = MediaFlow(seed: seed)
      network.add(flow)
      network.at(20) { $0.setRate(1e6) }
      network.at(45) { $0.setRate(4e6) }
      network.run(seconds: 60)
      return [
        network.calm(after: 20, below: 60), network.queue(percentile: 0.5, from: 23, to: 45),
        network.queue(percentile: 0.95, from: 23, to: 45), flow.rate(from: 23, to: 45) / 10_000,
        flow.reaches(2e6, after: 45),
      ]
    }
    #expect(figures.most(0) <= 2)
    #expect(figures.most(1) <= 25)
    #expect(figures.most(2) <= 60)
    #expect(figures.least(3) >= 85)
    #expect(figures.most(4) <= 3)
  }

  @Test("five times the capacity is found within 4 s")
  func rise() {
    let figures = Figures("0.5>2.5: 1.0 1.5 2.0 2.25 after s, use % after 10 s") { seed in
      let network = VirtualNetwork(bottleneck(0.5e6), seed: seed)
      let flow = MediaFlow(seed: seed)
      network.add(flow)
      network.at(30) { $0.setRate(2.5e6) }
      network.run(seconds: 60)
      return [1e6, 1.5e6, 2e6, 2.25e6].map { flow.reaches($0, after: 30) } + [flow.rate(from: 40, to: 60) / 25_000]
    }
    #expect(figures.most(2) <= 4)
    #expect(figures.most(3) <= 6)
    #expect(figures.least(4) >= 90)
  }

  @Test(
    "random loss does not lower the rate",
    arguments: [(0.05, 2200), (0.1, 2000), (0.2, 1700), (0.3, 1200)] as [(Double, Double)])
  func randomLoss(loss: Double, expected: Double) {
    let figures = Figures("loss \(loss): received kbit/s") { seed in
      let network = VirtualNetwork(bottleneck(5e6, loss: loss), seed: seed)
      let flow = MediaFlow(seed: seed)
      network.add(flow)
      network.run(seconds: 40)
      return [flow.rate(from: 0, to: 40) / 1000]
    }
    #expect(figures.least(0) >= expected)
  }

  @Test("a queue too short to stand is found by its losses", arguments: [20, 40] as [Double])
  func shallowQueue(queue: Double) {
    let figures = Figures("queue of \(queue) ms: use %, lost %") { seed in
      let network = VirtualNetwork(bottleneck(1e6, queue: queue), seed: seed)
      let flow = MediaFlow(seed: seed)
      network.add(flow)
      network.run(seconds: 60)
      let received = flow.rate(from: 0, to: 60)
      let media = Double(flow.sentBytes - flow.paddingBytes) * 8 / 60
      return [received / 10_000, (1 - received / media) * 100]
    }
    // Each picture of four packets overflows a queue of two.
    #expect(figures.least(0) >= (queue == 20 ? 65 : 90))
    #expect(figures.most(1) <= 25)
  }

  @Test("after an interruption of 5 s media are back within 1 s; a longer path is used again within 20 s")
  func interruptions() {
    let figures = Figures("interrupted 5 s: 0.5 1.4 Mbit/s after s; 300 ms longer: use % of 3-10 s, 20-40 s") { seed in
      let network = VirtualNetwork(bottleneck(2e6), seed: seed)
      let flow = MediaFlow(.init(rates: 150_000...1_500_000), seed: seed)
      network.add(flow)
      network.at(10) { $0.links[0].conditions.loss = 1 }
      network.at(15) { $0.links[0].conditions.loss = 0 }
      network.at(30) { $0.links[0].conditions.delay = 350_000 }
      network.run(seconds: 70)
      return [
        flow.reaches(0.5e6, after: 15), flow.reaches(1.4e6, after: 15), flow.rate(from: 33, to: 40) / 15_000,
        flow.rate(from: 50, to: 70) / 15_000,
      ]
    }
    #expect(figures.most(0) <= 1)
    #expect(figures.most(1) <= 3)
    #expect(figures.least(2) >= 30)
    #expect(figures.least(3) >= 75)
  }

  @Test("receiver reports alone follow a link, too")
  func receiverReports() {
    let figures = Figures("reports alone, 2>1>2: use % of the parts, queue p50 p95 ms") { seed in
      let network = VirtualNetwork(bottleneck(2e6), seed: seed)
      let flow = MediaFlow(.init(rates: 150_000...1_500_000, hasTransportFeedback: false), seed: seed)
      network.add(flow)
      network.at(30) { $0.setRate(1e6) }
      network.at(60) { $0.setRate(2e6) }
      network.run(seconds: 90)
      return [
        flow.rate(from: 0, to: 30) / 15_000, flow.rate(from: 30, to: 60) / 10_000, flow.rate(from: 60, to: 90) / 15_000,
        network.queue(percentile: 0.5, from: 40, to: 60), network.queue(percentile: 0.95, from: 40, to: 60),
      ]
    }
    #expect(figures.least(0) >= 80)
    #expect(figures.least(1) >= 60)
    #expect(figures.least(2) >= 60)
    #expect(figures.most(3) <= 60)
  }
}
