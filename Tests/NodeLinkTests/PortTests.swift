import RoomCLinux
import RoomNodeLink
import RoomRTP
import RoomTestSupport
import Synchronization
import Testing

/// Records that a test writes, and the wishes that come back.
private final class QueueSource: LinkSource {
  private let state = Mutex((records: [(Int64, [UInt8])](), wish: StreamWish?.none))

  func append(_ sequence: Int64, _ payload: [UInt8]) { state.withLock { $0.records.append((sequence, payload)) } }
  var wish: StreamWish? { state.withLock { $0.wish } }

  func read(_ body: (LinkRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    let first = state.withLock { $0.records.isEmpty ? nil : $0.records.removeFirst() }
    guard let (sequence, payload) = first else { return false }
    payload.withUnsafeBytes { body(LinkRecord(stream: 0, kind: 1, sequence: sequence), $0) }
    return true
  }

  func wished(_ wish: StreamWish?) { state.withLock { $0.wish = wish } }
}

private final class ListSink: LinkSink {
  private let state = Mutex((records: [Int64: [UInt8]](), copies: 0, commits: 0, wish: StreamWish()))

  var records: [Int64: [UInt8]] { state.withLock { $0.records } }
  var copies: Int { state.withLock { $0.copies } }
  var commits: Int { state.withLock { $0.commits } }
  var wish: StreamWish { state.withLock { $0.wish } }
  func want(_ wish: StreamWish) { state.withLock { $0.wish = wish } }

  func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer) {
    let bytes = Array(payload)
    state.withLock { if $0.records.updateValue(bytes, forKey: record.sequence) != nil { $0.copies += 1 } }
  }

  func commit() { state.withLock { $0.commits += 1 } }
}

@Suite("Node link: ports on 127.0.0.1", .serialized) struct PortTests {
  /// Two ports with a link between them.
  private struct Pair {
    let near: LinkPort
    let far: LinkPort
    let nearLink: OpenLink
    let farLink: OpenLink
    let nearEvents = Shared<[LinkEvent]>([])
    let farEvents = Shared<[LinkEvent]>([])

    init(segments: Bool = true) throws {
      let local = try NodeAddress(host: "127.0.0.1", port: 0)
      near = try LinkPort(bind: local, segments: segments)
      far = try LinkPort(bind: local, segments: segments)
      let secret = [UInt8](repeating: 7, count: 32)
      let (a, b) = (LinkEnd(node: "near", incarnation: 1), LinkEnd(node: "far", incarnation: 1))
      nearLink = try near.open(to: far.address, LinkKeys(secret: secret, local: a, remote: b)) { [nearEvents] event in
        nearEvents.withLock { $0.append(event) }
      }
      farLink = try far.open(to: near.address, LinkKeys(secret: secret, local: b, remote: a)) { [farEvents] event in
        farEvents.withLock { $0.append(event) }
      }
    }
  }

  @Test("a stream is opened, crosses, is wished for anew, and is closed", arguments: [true, false])
  func stream(segments: Bool) async throws {
    let pair = try Pair(segments: segments)
    let (source, sink) = (QueueSource(), ListSink())
    pair.farLink.receive(5, into: sink)
    try await eventually("the wish arrives") { pair.nearEvents.value.contains(.wished(stream: 5, StreamWish())) }
    pair.nearLink.send(source, as: 5)
    try await eventually("the source knows the wish") { source.wish == StreamWish() }
    try await eventually("the feed is known") { pair.farEvents.value.contains(.began(stream: 5)) }

    for sequence in 0..<3_000 as Range<Int64> {
      source.append(sequence, [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: 1100))
      if sequence % 20 == 19 { pair.near.wake() }
    }
    pair.near.wake()
    try await eventually("all records arrive") { sink.records.count == 3_000 }
    for (sequence, payload) in sink.records {
      #expect(payload.count == 1100 && payload.first == UInt8(truncatingIfNeeded: sequence))
    }
    #expect(sink.copies == 0)
    #expect(sink.commits > 0)

    sink.want(StreamWish(keyFrames: 1, layers: 3, share: 500_000))
    try await eventually("the new wish arrives") { source.wish == StreamWish(keyFrames: 1, layers: 3, share: 500_000) }
    pair.farLink.stopReceiving(5)
    try await eventually("the stream is closed") { pair.farEvents.value.contains(.closed(stream: 5)) }
    try await eventually("the wish is withdrawn") { source.wish == nil }
    pair.nearLink.stopSending(5)
    try await eventually("the feed has ended") { pair.farEvents.value.contains(.ended(stream: 5)) }

    try await eventually("figures") { pair.farLink.status.counters.recordsReceived == 3_000 }
    // A port publishes the figures of its links after each turn of its thread, which a busy machine delays.
    try await eventually("the near link is live") { pair.nearLink.status.liveness == .live }
    #expect(pair.farLink.status.counters.lost == 0)
    try await eventually("figures of the port") { pair.near.counters.datagramsSent >= 3_000 }
    let counters = pair.near.counters
    #expect(counters.links == 1)
    #expect(segments ? counters.messagesSent < counters.datagramsSent : counters.messagesSent == counters.datagramsSent)
    pair.near.stop()
    pair.far.stop()
  }

  @Test("datagrams from another address are counted, and records without a sink") func unknown() async throws {
    let pair = try Pair()
    let stranger = try LinkPort(bind: NodeAddress(host: "127.0.0.1", port: 0))
    let keys = try LinkKeys(
      secret: [UInt8](repeating: 7, count: 32), local: LinkEnd(node: "near", incarnation: 1),
      remote: LinkEnd(node: "far", incarnation: 1))
    _ = try stranger.open(to: pair.far.address, keys) { _ in }
    let source = QueueSource()
    source.append(1, [1, 2, 3])
    pair.nearLink.send(source, as: 77)
    try await eventually("both are counted") {
      pair.far.counters.unknownAddress > 0 && pair.far.counters.unknownStream == 1
    }
    for port in [pair.near, pair.far, stranger] { port.stop() }
  }

  @Test("a link that replaces another has new keys; a closed one is silent at the other end") func replaced() async throws {
    let pair = try Pair()
    try await eventually("live") { pair.farEvents.value.contains(.live) }
    let secret = [UInt8](repeating: 7, count: 32)
    let (a, b) = (LinkEnd(node: "near", incarnation: 2), LinkEnd(node: "far", incarnation: 1))
    let again = Shared<[LinkEvent]>([])
    _ = try pair.near.open(to: pair.far.address, LinkKeys(secret: secret, local: a, remote: b)) { event in
      again.withLock { $0.append(event) }
    }
    let new = try pair.far.open(to: pair.near.address, LinkKeys(secret: secret, local: b, remote: a)) { _ in }
    try await eventually("live again") { again.value.contains(.live) }
    try await eventually("one link is left") { pair.far.counters.links == 1 }
    new.close()
    // Waits for the second after which a link is silent.
    try await eventually("silent") { again.value.contains(.silent) }
    pair.near.stop()
    pair.far.stop()
    #expect(throws: LinkError.stopped) {
      try pair.near.open(to: pair.far.address, LinkKeys(secret: secret, local: a, remote: b)) { _ in }
    }
  }

  @Test("a link that is closed and opened again with the same keys carries streams again") func openedAgain() async throws {
    let pair = try Pair()
    let (source, sink) = (QueueSource(), ListSink())
    pair.nearLink.send(source, as: 1)
    pair.farLink.receive(1, into: sink)
    source.append(1, [1])
    pair.near.wake()
    try await eventually("the first record") { sink.records.count == 1 }
    pair.nearLink.close()
    let keys = try LinkKeys(
      secret: [UInt8](repeating: 7, count: 32), local: LinkEnd(node: "near", incarnation: 1),
      remote: LinkEnd(node: "far", incarnation: 1))
    let again = try pair.near.open(to: pair.far.address, keys) { _ in }
    again.send(source, as: 1)
    source.append(2, [2])
    pair.near.wake()
    try await eventually("the second record") { sink.records.count == 2 }
    try await eventually("the wish") { source.wish == StreamWish() }
    pair.near.stop()
    pair.far.stop()
  }

  @Test("only numeric addresses are addresses") func addresses() throws {
    #expect(try NodeAddress(host: "127.0.0.1", port: 8_000).port == 8_000)
    #expect(try NodeAddress(host: "::1", port: 8_000) != NodeAddress(host: "::1", port: 8_001))
    #expect(throws: LinkError.invalidAddress("node.example")) { try NodeAddress(host: "node.example", port: 1) }
  }
}
