import RoomLinkModel
import RoomNodeLink
import RoomRTP
import Testing

@Suite("Node link: replays, forgeries and limits") struct RefusalTests {
  /// Two nodes after some records, with all datagrams of `near`.
  private func recorded() throws -> VirtualNodes {
    let nodes = try VirtualNodes(roundTrip: 2)
    nodes.keepsSent = true
    var count: Int64 = 0
    nodes.run(milliseconds: 300, every: 1_000) { nodes in
      nodes.write(count, bytes: 100)
      count += 1
    }
    return nodes
  }

  @Test("every recorded datagram is refused the second time, also long after") func replay() throws {
    let nodes = try recorded()
    let count = nodes.deliveries.count
    #expect(count >= 290)
    for datagram in nodes.sent.dropLast(5) {
      let refusal = nodes.inject(datagram)
      #expect(refusal == .replayed || refusal == .outdated)
    }
    #expect(nodes.deliveries.count == count)
  }

  @Test("a datagram older than the window is refused") func window() throws {
    var options = LinkOptions()
    options.ring = 256
    let nodes = try VirtualNodes(down: .perfect, up: .perfect, options: options)
    nodes.keepsSent = true
    nodes.down.conditions.loss = 1
    nodes.run(milliseconds: 1, every: 10_000) { $0.write(0) }
    let first = try #require(nodes.sent.first { $0[0] == 0x51 })
    nodes.down.conditions.loss = 0
    var count: Int64 = 1
    // No repair: the receiver's requests are lost.
    nodes.up.conditions.loss = 1
    nodes.run(milliseconds: 300, every: 1_000) { nodes in
      nodes.write(count, bytes: 10)
      count += 1
    }
    #expect(nodes.inject(first) == .outdated)
    #expect(nodes.far.counters.lost >= 1)
  }

  @Test("a datagram with one bit changed, or shorter, is refused and changes nothing") func mutated() throws {
    let nodes = try recorded()
    nodes.down.conditions.loss = 1
    nodes.run(milliseconds: 3, every: 1_000) { $0.write(1_000, bytes: 100) }
    let fresh = try #require(nodes.sent.last { $0[0] == 0x51 })
    let count = nodes.deliveries.count
    for bit in 0..<(fresh.count * 8) {
      var changed = fresh
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(nodes.inject(changed) != nil)
    }
    for length in 0..<fresh.count { #expect(nodes.inject(Array(fresh[..<length])) != nil) }
    #expect(nodes.inject(fresh + [0]) == .forged)
    #expect(nodes.deliveries.count == count)
    // The datagram itself is still new.
    #expect(nodes.inject(fresh) == nil)
    #expect(nodes.deliveries.count == count + 1)
  }

  @Test("a control datagram with one bit changed is refused; an older one too") func controls() throws {
    let nodes = try recorded()
    nodes.down.conditions.loss = 1
    nodes.near.want(StreamWish(), of: 1)
    nodes.run(milliseconds: 2)
    nodes.near.want(StreamWish(), of: 2)
    nodes.run(milliseconds: 2)
    let controls = nodes.sent.filter { $0[0] == 0x52 }.suffix(2)
    let (older, newer) = (try #require(controls.first), try #require(controls.last))
    for bit in 0..<(newer.count * 8) {
      var changed = newer
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(nodes.inject(changed) != nil)
    }
    #expect(nodes.far.wish(of: 2) == nil)
    #expect(nodes.inject(newer) == nil)
    #expect(nodes.far.wish(of: 2) == StreamWish())
    #expect(nodes.inject(newer) == .outdated)
    #expect(nodes.inject(older) == .outdated)
    #expect(nodes.far.wish(of: 1) == nil)
  }

  @Test("datagrams under other keys are refused, and the link becomes silent, then dead") func otherKeys() throws {
    let nodes = try VirtualNodes(roundTrip: 2)
    let keys = try LinkKeys(
      secret: VirtualNodes.secret, local: LinkEnd(node: "near", incarnation: 2), remote: VirtualNodes.farEnd)
    nodes.near = try Link(keys, now: nodes.now)
    var count: Int64 = 0
    nodes.run(milliseconds: 5_100, every: 50_000) { nodes in
      nodes.write(count)
      count += 1
    }
    #expect(nodes.deliveries.isEmpty)
    #expect(nodes.farEvents == [.silent, .dead])
    let counters = nodes.far.counters
    #expect(counters.refusedOtherEpoch + counters.refusedForged > 100)
    #expect(nodes.near.counters.recordsDead > 0)
  }

  @Test("a link without a network is silent after 1 s, dead after 5 s, and live again") func silence() throws {
    let nodes = try VirtualNodes(roundTrip: 2)
    nodes.run(milliseconds: 500)
    nodes.setConditions { $0.loss = 1 }
    nodes.run(milliseconds: 900)
    #expect(nodes.farEvents == [.live])
    nodes.run(milliseconds: 200)
    #expect(nodes.farEvents == [.live, .silent])
    nodes.run(milliseconds: 4_000, every: 10_000)
    #expect(nodes.farEvents == [.live, .silent, .dead])
    #expect(!nodes.write(1))
    nodes.setConditions { $0.loss = 0 }
    nodes.run(milliseconds: 200)
    #expect(nodes.farEvents == [.live, .silent, .dead, .live])
    nodes.run(milliseconds: 50, every: 100_000) { $0.write(2) }
    #expect(nodes.deliveries.map(\.record.sequence) == [2])
  }

  @Test("a payload of the longest size crosses, a longer one is refused") func longest() throws {
    let nodes = try VirtualNodes(roundTrip: 2)
    nodes.run(milliseconds: 20, every: 100_000) { nodes in
      #expect(nodes.write(1, bytes: LinkRecord.payloadLimit))
      #expect(!nodes.write(2, bytes: LinkRecord.payloadLimit + 1))
    }
    #expect(nodes.deliveries.map(\.payload.count) == [LinkRecord.payloadLimit])
    #expect(nodes.near.counters.recordsOversized == 1)
  }

  @Test("every member of a record crosses; an age becomes a time of the receiver") func members() throws {
    let nodes = try VirtualNodes(roundTrip: 2)
    let record = LinkRecord(
      stream: 0xFFFF_FFFE, kind: 6, format: 0x83, sequence: -5, timestamp: 0xFEDC_BA98, time: 0x0123_4567_89AB_CDEF,
      arrival: nodes.now.advanced(milliseconds: -700))
    nodes.run(milliseconds: 20, every: 100_000) { nodes in
      let isWritten = nodes.near.write(record, UnsafeRawBufferPointer(start: nil, count: 0), now: nodes.now)
      #expect(isWritten)
    }
    var expected = record
    // The millisecond on the network.
    expected.arrival = record.arrival?.advanced(milliseconds: 1)
    #expect(nodes.deliveries.map(\.record) == [expected])
  }

  @Test("small records share datagrams; a full ring refuses records until they are sent") func sharing() throws {
    let nodes = try VirtualNodes(roundTrip: 2)
    nodes.run(milliseconds: 20, every: 100_000) { nodes in
      for sequence in 0..<100 as Range<Int64> { nodes.write(sequence, bytes: 60) }
    }
    #expect(nodes.deliveries.map(\.record.sequence) == Array(0..<100))
    #expect(nodes.near.counters.datagramsSent == 8)
    var refused = 0
    for sequence in 0..<5_000 as Range<Int64> where !nodes.write(sequence) { refused += 1 }
    // Half of a ring of 8,192.
    #expect(refused == 5_000 - 4_096)
    #expect(nodes.near.counters.recordsFull == UInt64(refused))
  }
}
