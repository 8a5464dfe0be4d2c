import RoomLinkModel
import RoomNodeLink
import RoomRTP
import Testing

@Suite("Node link: bad networks") struct RepairTests {
  /// Sends 2,000 records a second of 1,000 bytes for some milliseconds, then waits. Returns how late each record arrived, in
  /// microseconds; fails if one did not arrive, arrived twice, or was changed.
  private func stream(
    over nodes: VirtualNodes, milliseconds: Int64 = 2_000, settling: Int64 = 1_200,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> [Int64] {
    var written: [Instant] = []
    nodes.run(milliseconds: milliseconds, every: 500) { nodes in
      nodes.write(Int64(written.count))
      written.append(nodes.now)
    }
    // The model's bursts last a number of packets, which would be long on a link that is idle.
    nodes.setConditions { $0.burst = 1 }
    nodes.run(milliseconds: settling)
    var arrivals = [Instant?](repeating: nil, count: written.count)
    for delivery in nodes.deliveries {
      let number = Int(delivery.record.sequence)
      guard written.indices.contains(number), arrivals[number] == nil,
        VirtualNodes.isPayload(delivery.payload, of: delivery.record.sequence, count: 1000)
      else {
        Issue.record("record \(number) twice or changed", sourceLocation: sourceLocation)
        continue
      }
      arrivals[number] = delivery.at
    }
    let missing = arrivals.filter { $0 == nil }.count
    #expect(missing == 0, sourceLocation: sourceLocation)
    return zip(written, arrivals).compactMap { sent, at in at.map { $0 - sent } }.sorted()
  }

  private func percentile(_ times: [Int64], _ share: Double) -> Int64 {
    times.isEmpty ? .max : times[min(times.count - 1, Int(Double(times.count) * share))]
  }

  @Test("a perfect network: nothing is requested, and every record arrives after the delay") func perfect() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    let times = stream(over: nodes)
    #expect(times.last == 10_000)
    #expect(nodes.near.counters.resent == 0)
    #expect(nodes.far.counters.missed == 0)
    let roundTrip = try #require(nodes.near.estimate.roundTrip)
    #expect((20_000...21_000).contains(roundTrip))
    #expect(nodes.near.estimate.loss == 0)
  }

  @Test("5 % of datagrams lost in both directions, 20 ms of round trip: no record is lost", arguments: 1...3)
  func loss(seed: UInt64) throws {
    let nodes = try VirtualNodes(roundTrip: 20, { $0.loss = 0.05 }, seed: seed)
    let times = stream(over: nodes, milliseconds: 4_000)
    print("5 % loss, 20 ms: p50 \(percentile(times, 0.5)) p99 \(percentile(times, 0.99)) longest \(times.last ?? 0) µs")
    #expect(percentile(times, 0.5) == 10_000)
    // The delay, the noticing, and one round trip.
    #expect(percentile(times, 0.99) < 60_000)
    #expect(nodes.far.counters.lost == 0)
    #expect(nodes.near.counters.resent >= nodes.far.counters.missed)
  }

  @Test("the estimate of loss is that of the path, not of what is left after repair") func estimate() throws {
    let nodes = try VirtualNodes(roundTrip: 20) { $0.loss = 0.05 }
    var losses: [Double] = []
    var count: Int64 = 0
    nodes.run(milliseconds: 4_000, every: 500) { nodes in
      nodes.write(count)
      count += 1
      if count % 200 == 0 { losses.append(nodes.near.estimate.loss) }
    }
    let mean = losses.reduce(0, +) / Double(losses.count)
    #expect((0.035...0.065).contains(mean))
    // 2,000 datagrams a second of 1,048 bytes, and 5 % of them.
    #expect((14_000_000...18_000_000).contains(nodes.near.estimate.bitrate))
  }

  @Test("reordering: what is only late is delivered once") func reordering() throws {
    let nodes = try VirtualNodes(roundTrip: 20) {
      $0.reorder = 0.05
      $0.reorderDelay = 1_500
    }
    let times = stream(over: nodes)
    #expect(times.last == 11_500)
    #expect(nodes.near.counters.resent == 0)
  }

  @Test("duplication: copies are refused") func duplication() throws {
    let nodes = try VirtualNodes(roundTrip: 20) { $0.duplication = 0.2 }
    _ = stream(over: nodes)
    #expect(nodes.far.counters.refusedReplayed > 600)
  }

  @Test("loss, reordering, duplication and jitter together", arguments: 1...3) func everything(seed: UInt64) throws {
    let nodes = try VirtualNodes(
      roundTrip: 40,
      {
        $0.loss = 0.05
        $0.burst = 4
        $0.reorder = 0.05
        $0.duplication = 0.05
        $0.jitter = 5_000
      }, seed: seed)
    _ = stream(over: nodes)
    #expect(nodes.far.counters.lost == 0)
  }

  @Test("bursts of 20 lost datagrams") func bursts() throws {
    let nodes = try VirtualNodes(roundTrip: 20) {
      $0.loss = 0.05
      $0.burst = 20
    }
    _ = stream(over: nodes)
    #expect(nodes.far.counters.lost == 0)
  }

  @Test("an outage of 300 ms: everything from before it and from it arrives within the budget") func outage() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    var written: Int64 = 0
    let write: (VirtualNodes) -> Void = { nodes in
      nodes.write(written)
      written += 1
    }
    nodes.run(milliseconds: 2_500, every: 500, write)
    nodes.setConditions { $0.loss = 1 }
    nodes.run(milliseconds: 300, every: 500, write)
    nodes.setConditions { $0.loss = 0 }
    nodes.run(milliseconds: 1_000, every: 500, write)
    nodes.run(milliseconds: 500)
    #expect(Set(nodes.deliveries.map(\.record.sequence)).count == Int(written))
    #expect(nodes.deliveries.count == Int(written))
    #expect(nodes.far.counters.lost == 0)
  }

  @Test("an outage longer than the ring: what the ring has no more is lost and counted, the rest continues") func long() throws
  {
    var options = LinkOptions()
    options.ring = 256
    let nodes = try VirtualNodes(down: LinkConditions(delay: 10_000), up: LinkConditions(delay: 10_000), options: options)
    var written: Int64 = 0
    let write: (VirtualNodes) -> Void = { nodes in
      nodes.write(written)
      written += 1
    }
    nodes.run(milliseconds: 500, every: 1_000, write)
    nodes.setConditions { $0.loss = 1 }
    nodes.run(milliseconds: 1_500, every: 1_000, write)
    nodes.setConditions { $0.loss = 0 }
    let resumed = written
    nodes.run(milliseconds: 500, every: 1_000, write)
    nodes.run(milliseconds: 1_200)
    let sequences = Set(nodes.deliveries.map(\.record.sequence))
    #expect((resumed..<written).allSatisfy(sequences.contains))
    #expect(sequences.count == nodes.deliveries.count)
    #expect(nodes.far.counters.lost == UInt64(Int(written) - sequences.count))
    #expect(nodes.far.counters.lost > 1_000)
  }

  @Test("a node that hears the other late does not ask for what was before") func late() throws {
    let nodes = try VirtualNodes(roundTrip: 20) { $0.loss = 1 }
    var written: Int64 = 0
    let write: (VirtualNodes) -> Void = { nodes in
      nodes.write(written)
      written += 1
    }
    nodes.run(milliseconds: 500, every: 1_000, write)
    nodes.setConditions { $0.loss = 0 }
    let first = written
    nodes.run(milliseconds: 500, every: 1_000, write)
    nodes.run(milliseconds: 100)
    #expect(nodes.deliveries.count >= Int(written - first))
    #expect(nodes.far.counters.missed <= 1)
    #expect(nodes.far.counters.lost == 0)
  }

  @Test("the last datagram before a pause is repaired") func tail() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let nodes = try VirtualNodes(roundTrip: 20, seed: seed)
      nodes.run(milliseconds: 200)
      nodes.setConditions { $0.loss = 1 }
      let sentAt = nodes.now
      nodes.run(milliseconds: 2, every: 10_000) { $0.write(1) }
      nodes.setConditions { $0.loss = 0 }
      nodes.run(milliseconds: 300)
      let delivery = try #require(nodes.deliveries.first)
      // Heartbeat, delay, tolerance, round trip.
      #expect(delivery.at - sentAt < 60_000)
    }
  }

  @Test("a queue that grows is seen as delay") func queueing() throws {
    let nodes = try VirtualNodes(roundTrip: 20) {
      $0.rate = 14_000_000
      $0.queue = 1 << 20
    }
    var count: Int64 = 0
    // 17 Mbit/s with all headers.
    nodes.run(milliseconds: 1_000, every: 500) { nodes in
      nodes.write(count)
      count += 1
    }
    #expect(nodes.near.estimate.queueing > 100_000)
    #expect((13_000_000...14_500_000).contains(nodes.near.estimate.bitrate))
  }

  @Test("a sender that ignores requests: the receiver gives up after a second, and its requests stay few") func deaf() throws {
    let nodes = try VirtualNodes(roundTrip: 20) { $0.loss = 0.05 }
    nodes.nearHears = false
    var count: Int64 = 0
    nodes.run(milliseconds: 3_000, every: 500) { nodes in
      nodes.write(count)
      count += 1
    }
    #expect(nodes.near.counters.resent == 0)
    #expect(nodes.far.counters.lost > 150)
    // At most one control datagram a millisecond.
    #expect(nodes.far.counters.controlSent < 3_100)
    #expect(nodes.near.liveness == .silent)
  }

  @Test("a receiver that requests everything gets a quarter more at most") func greedy() throws {
    let nodes = try VirtualNodes(roundTrip: 20) { $0.loss = 0.7 }
    var count: Int64 = 0
    nodes.run(milliseconds: 2_000, every: 500) { nodes in
      nodes.write(count)
      count += 1
    }
    let counters = nodes.near.counters
    #expect(counters.resendsOverBudget > 0)
    #expect(Double(counters.resent) < 0.25 * Double(counters.datagramsSent) + 70)
  }
}
