import Foundation
import RoomLinkModel
import RoomRTP
import Testing

/// The test cases of RFC 8867 §5 in virtual time. A figure holds in 95 % of the seeds.
@Suite("Congestion control in the cases of RFC 8867")
struct RFC8867Tests {
  private static let mediaRates = 150_000.0...1_500_000.0

  @Test(
    "§5.1 one flow uses each capacity, with and without jitter, and its queue stays short", arguments: [0, 30, 60] as [Int64])
  func variableCapacity(jitter: Int64) {
    let steps = [(0.0, 1e6), (40, 2.5e6), (60, 0.6e6), (80, 1e6)]
    let figures = Figures("5.1 jitter \(jitter) ms: use % of each part, queue p50 p95 ms, padding %") { seed in
      let network = VirtualNetwork(bottleneck(1e6, jitter: jitter * 1000), seed: seed)
      let flow = MediaFlow(.init(rates: Self.mediaRates), seed: seed)
      network.add(flow)
      for (time, rate) in steps { network.at(time) { $0.setRate(rate) } }
      network.run(seconds: 100)
      return use(of: steps, until: 100, most: 1.5e6) { flow.rate(from: $0, to: $1) } + [
        network.queue(percentile: 0.5, from: 5, to: 100), network.queue(percentile: 0.95, from: 5, to: 100),
        Double(flow.paddingBytes) / Double(flow.sentBytes) * 100,
      ]
    }
    for part in 0..<4 { #expect(figures.least(part) >= (jitter == 0 ? 85 : jitter == 30 ? 80 : 75)) }
    #expect(figures.most(4) <= 25)
    #expect(figures.most(5) <= 65)
    #expect(figures.most(6) <= 2)
  }

  @Test("§5.2 two flows use each capacity and share it")
  func twoFlows() {
    let steps = [(0.0, 4e6), (25, 2e6), (50, 3.5e6), (75, 1e6), (100, 2e6)]
    let figures = Figures("5.2: use % of each part, first : second, queue p95 ms") { seed in
      let network = VirtualNetwork(bottleneck(4e6), seed: seed)
      let flows = (0..<2).map { MediaFlow(.init(rates: Self.mediaRates), seed: seed * 3 + $0) }
      for flow in flows { network.add(flow) }
      for (time, rate) in steps { network.at(time) { $0.setRate(rate) } }
      network.run(seconds: 125)
      return use(of: steps, until: 125, most: 3e6) { from, to in flows.map { $0.rate(from: from, to: to) }.reduce(0, +) } + [
        flows[0].rate(from: 25, to: 125) / flows[1].rate(from: 25, to: 125),
        network.queue(percentile: 0.95, from: 5, to: 125),
      ]
    }
    for part in 0..<5 { #expect(figures.least(part) >= 80) }
    #expect(figures.least(5) >= 0.5 && figures.most(5) <= 2)
    #expect(figures.most(6) <= 80)
  }

  @Test("§5.3 a thin path for feedback does not starve either direction")
  func congestedFeedback() {
    let figures = Figures("5.3: use % of the parts of both directions") { seed in
      let network = VirtualNetwork(links: [
        LinkModel(bottleneck(2e6), seed: seed), LinkModel(bottleneck(2e6), seed: seed + 1),
      ])
      let there = MediaFlow(.init(rates: Self.mediaRates), seed: seed)
      let back = MediaFlow(.init(rates: Self.mediaRates, forward: 1, back: 0), seed: seed + 50)
      network.add(there)
      network.add(back)
      let steps = [(0.0, 2e6), (20, 1e6), (35, 0.5e6), (40, 2e6)]
      let backSteps = [(0.0, 2e6), (35, 0.8e6), (70, 2e6)]
      for (time, rate) in steps { network.at(time) { $0.setRate(rate) } }
      for (time, rate) in backSteps { network.at(time) { $0.setRate(rate, link: 1) } }
      network.run(seconds: 100)
      return use(of: steps, until: 100, most: 1.5e6) { there.rate(from: $0, to: $1) }
        + use(of: backSteps, until: 100, most: 1.5e6) { back.rate(from: $0, to: $1) }
    }
    for part in 0..<7 { #expect(figures.least(part) >= 80) }
  }

  @Test("§5.4 three flows that start one after the other share the link")
  func threeFlows() {
    let figures = Figures("5.4: shares of the mean, queue p50 p95 ms") { seed in
      let network = VirtualNetwork(bottleneck(3.5e6), seed: seed)
      let flows = (0..<3).map { MediaFlow(.init(start: Double($0) * 20), seed: seed * 3 + UInt64($0)) }
      for flow in flows { network.add(flow) }
      network.run(seconds: 120)
      let rates = flows.map { $0.rate(from: 60, to: 120) }
      let mean = rates.reduce(0, +) / 3
      return rates.map { $0 / mean } + [
        network.queue(percentile: 0.5, from: 60, to: 120), network.queue(percentile: 0.95, from: 60, to: 120),
      ]
    }
    for flow in 0..<3 { #expect(figures.least(flow) >= 0.5 && figures.most(flow) <= 2) }
    #expect(figures.most(3) <= 25)
    #expect(figures.most(4) <= 60)
  }

  @Test("§5.5 no flow starves beside others with shorter or longer round trips")
  func roundTrips() {
    let figures = Figures("5.5: shares of the mean at 20 50 100 200 300 ms, queue p95 ms") { seed in
      let network = VirtualNetwork(bottleneck(4e6, delay: 10_000), seed: seed)
      let flows = [0, 15, 40, 90, 140].enumerated().map { index, delay in
        MediaFlow(.init(start: Double(index) * 10, delay: Int64(delay) * 1000), seed: seed * 5 + UInt64(index))
      }
      for flow in flows { network.add(flow) }
      network.run(seconds: 150)
      return flows.map { $0.rate(from: 60, to: 150) / 800_000 } + [network.queue(percentile: 0.95, from: 60, to: 150)]
    }
    // The last flow has the longest round trip and the largest share: it saw the queue of the others as its path.
    for flow in 0..<5 { #expect(figures.least(flow) >= 0.2 && figures.most(flow) <= 2.2) }
    #expect(figures.median(5) <= 60)
  }

  @Test("§5.6 a flow keeps a share beside a long TCP connection", arguments: [300, 1000] as [Double])
  func longTCP(queue: Double) {
    let figures = Figures("5.6 queue \(queue) ms: media, TCP kbit/s") { seed in
      let network = VirtualNetwork(bottleneck(2e6, queue: queue), seed: seed)
      let flow = MediaFlow(.init(rates: 50_000...1_500_000), seed: seed)
      let tcp = CubicFlow(start: Double(seed) / 10, back: 50_000)
      network.add(flow)
      network.add(tcp)
      network.run(seconds: 120)
      return [flow.rate(from: 10, to: 120) / 1000, tcp.rate(from: 10, to: 120) / 1000]
    }
    // Behind a queue of a second the share is what a voice and a small picture need.
    #expect(figures.least(0) >= (queue == 300 ? 300 : 150))
    #expect(figures.least(1) >= 1000)
  }

  @Test("§5.7 a flow keeps its minimum beside ten short TCP connections")
  func shortTCP() {
    let figures = Figures("5.7: media, TCP kbit/s") { seed in
      let network = VirtualNetwork(bottleneck(2e6), seed: seed)
      let flow = MediaFlow(.init(rates: Self.mediaRates), seed: seed)
      network.add(flow)
      var random = RoomLinkModel.SeededGenerator(seed: seed)
      let connections = (0..<10).map { _ in
        CubicFlow(start: random.fraction() * 20, back: 50_000) {
          (100_000 + Int(random.fraction() * 900_000), -10 * log(1 - random.fraction()))
        }
      }
      for connection in connections { network.add(connection) }
      network.run(seconds: 120)
      return [
        flow.rate(from: 10, to: 120) / 1000, connections.map { $0.rate(from: 10, to: 120) }.reduce(0, +) / 1000,
      ]
    }
    // An equal share is 180 kbit/s.
    #expect(figures.least(0) >= 150)
    #expect(figures.least(1) >= 1000)
  }

  @Test("§5.8 others use what a paused flow leaves, and it gets its share again")
  func pause() {
    let figures = Figures("5.8: shares of the mean after the pause, use % in the pause, queue p95 ms after it") { seed in
      let network = VirtualNetwork(bottleneck(3.5e6), seed: seed)
      let flows = (0..<3).map { MediaFlow(.init(start: Double($0) / 10), seed: seed * 3 + UInt64($0)) }
      for flow in flows { network.add(flow) }
      network.at(40) { _ in flows[0].isPaused = true }
      network.at(60) { _ in flows[0].isPaused = false }
      network.run(seconds: 100)
      let rates = flows.map { $0.rate(from: 65, to: 100) }
      let mean = rates.reduce(0, +) / 3
      let left = flows[1].rate(from: 45, to: 60) + flows[2].rate(from: 45, to: 60)
      return rates.map { $0 / mean } + [left / 35_000, network.queue(percentile: 0.95, from: 60, to: 65)]
    }
    for flow in 0..<3 { #expect(figures.least(flow) >= 0.5 && figures.most(flow) <= 2) }
    #expect(figures.least(3) >= 80)
    #expect(figures.most(4) <= 200)
  }

  /// The received share of what the link carries and the source makes at most, in percent of each part.
  private func use(
    of steps: [(Double, Double)], until end: Double, most: Double, received: (Double, Double) -> Double
  ) -> [Double] {
    steps.indices.map { index in
      let (time, rate) = steps[index]
      return received(time, index + 1 < steps.count ? steps[index + 1].0 : end) / min(rate, most) * 100
    }
  }
}
