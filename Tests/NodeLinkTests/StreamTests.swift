import RoomLinkModel
import RoomNodeLink
import Testing

@Suite("Node link: wishes and feeds of streams") struct StreamTests {
  @Test("a wish, its changes and its end arrive, each acknowledged") func wish() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    let first = StreamWish(keyFrames: 1, layers: 0b101, share: 2_000_000)
    let second = StreamWish(keyFrames: 2, layers: 0b001)
    nodes.far.want(first, of: 9)
    nodes.run(milliseconds: 40)
    #expect(nodes.nearEvents == [.live, .wished(stream: 9, first)])
    #expect(nodes.farEvents == [.live, .opened(stream: 9)])
    #expect(nodes.near.wish(of: 9) == first)
    nodes.far.want(second, of: 9)
    nodes.run(milliseconds: 40)
    #expect(nodes.near.wish(of: 9) == second)
    nodes.far.want(nil, of: 9)
    nodes.run(milliseconds: 40)
    #expect(nodes.nearEvents == [.live, .wished(stream: 9, first), .wished(stream: 9, second), .unwished(stream: 9)])
    #expect(nodes.farEvents == [.live, .opened(stream: 9), .closed(stream: 9)])
    #expect(nodes.near.wish(of: 9) == nil)
  }

  @Test("feeds begin and end") func feed() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    nodes.near.feed(true, stream: 3)
    nodes.run(milliseconds: 40)
    nodes.near.feed(false, stream: 3)
    nodes.run(milliseconds: 40)
    #expect(nodes.farEvents == [.live, .began(stream: 3), .ended(stream: 3)])
  }

  @Test("with 30 % loss and reordering, the last state of each of 200 streams arrives", arguments: 1...3)
  func lossy(seed: UInt64) throws {
    let nodes = try VirtualNodes(
      roundTrip: 20,
      {
        $0.loss = 0.3
        $0.reorder = 0.1
      }, seed: seed)
    var random = SeededGenerator(seed: seed)
    var wanted: [UInt32: StreamWish] = [:]
    nodes.run(milliseconds: 400, every: 2_000) { nodes in
      let stream = UInt32.random(in: 0..<200, using: &random)
      let wish =
        Bool.random(using: &random) ? StreamWish(keyFrames: .random(in: 0...99, using: &random), layers: 1) : nil
      wanted[stream] = wish
      nodes.far.want(wish, of: stream)
    }
    nodes.run(milliseconds: 1_000, every: 100_000)
    for stream in 0..<200 as Range<UInt32> { #expect(nodes.near.wish(of: stream) == wanted[stream]) }
    #expect(nodes.near.counters.eventsLost == 0)
  }

  @Test("a key frame request arrives in half a round trip") func keyFrame() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    nodes.far.want(StreamWish(keyFrames: 0), of: 1)
    nodes.run(milliseconds: 100)
    nodes.far.want(StreamWish(keyFrames: 1), of: 1)
    nodes.run(milliseconds: 13)
    #expect(nodes.near.wish(of: 1)?.keyFrames == 1)
  }

  @Test("4,096 streams are opened at once; one more is refused until one is closed") func limit() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    for stream in 0..<4096 as Range<UInt32> { nodes.far.want(StreamWish(), of: stream) }
    let isRefused = !nodes.far.want(StreamWish(), of: 5_000)
    #expect(isRefused && nodes.far.counters.streamsRefused == 1)
    nodes.run(milliseconds: 100, every: 10_000)
    #expect(nodes.nearEvents.count == 4097)
    #expect(nodes.farEvents.count == 4097)
    nodes.far.want(nil, of: 17)
    nodes.run(milliseconds: 40, every: 10_000)
    let isTaken = nodes.far.want(StreamWish(), of: 5_000)
    #expect(isTaken)
    nodes.run(milliseconds: 40, every: 10_000)
    #expect(nodes.near.wish(of: 5_000) != nil)
    #expect(nodes.near.counters.streamsRefused == 0)
  }

  @Test("an end that is opened again continues the numbers; the other end forgets its streams and repeats its own")
  func openedAgain() throws {
    let nodes = try VirtualNodes(roundTrip: 20)
    nodes.keepsSent = true
    nodes.near.want(StreamWish(keyFrames: 3), of: 1)
    nodes.near.feed(true, stream: 2)
    nodes.far.want(StreamWish(keyFrames: 4), of: 2)
    var count: Int64 = 0
    let write: (VirtualNodes) -> Void = { nodes in
      nodes.write(count)
      count += 1
    }
    nodes.run(milliseconds: 300, every: 1_000, write)
    let keys = try LinkKeys(secret: VirtualNodes.secret, local: VirtualNodes.nearEnd, remote: VirtualNodes.farEnd)
    let numbers = nodes.near.numbers
    nodes.near = try Link(keys, continuing: numbers, now: nodes.now)
    nodes.run(milliseconds: 300, every: 1_000, write)
    nodes.run(milliseconds: 100)
    #expect(nodes.deliveries.map(\.record.sequence) == Array(0..<count))
    #expect(nodes.far.wish(of: 1) == nil)
    #expect(nodes.near.wish(of: 2) == StreamWish(keyFrames: 4))
    #expect(
      nodes.farEvents == [
        .live, .wished(stream: 1, StreamWish(keyFrames: 3)), .began(stream: 2), .opened(stream: 2), .unwished(stream: 1),
        .ended(stream: 2), .opened(stream: 2),
      ])
    // No kind and number was used for two datagrams.
    var headers: [[UInt8]: [UInt8]] = [:]
    for datagram in nodes.sent { #expect(headers.updateValue(datagram, forKey: Array(datagram[..<8])) ?? datagram == datagram) }
    // Nor is a datagram from before accepted.
    for datagram in nodes.sent { #expect(nodes.inject(datagram) != nil) }
  }
}
