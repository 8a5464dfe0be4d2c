import RoomRTP

/// A link of the port's thread, with its sources and sinks.
final class LinkPeer {
  private struct Source {
    let source: any LinkSource
    let stream: UInt32
  }

  private final class Sink {
    let sink: any LinkSink
    var wish: StreamWish
    /// Whether it has records since the last commit.
    var isWritten = false

    init(_ sink: any LinkSink) {
      self.sink = sink
      wish = sink.wish
    }
  }

  /// Records that are taken from one source before the next one's turn.
  private static let recordsPerTurn = 32

  let handle: OpenLink
  let address: NodeAddress
  let keys: LinkKeys
  private let onEvent: @Sendable (LinkEvent) -> Void
  private var link: Link
  private var sources: [Source] = []
  private var sinks: [UInt32: Sink] = [:]
  private var written: [Sink] = []
  private(set) var unknownStreams: UInt64 = 0

  init(
    _ handle: OpenLink, _ address: NodeAddress, _ keys: LinkKeys, _ link: consuming Link,
    onEvent: @escaping @Sendable (LinkEvent) -> Void
  ) {
    self.handle = handle
    self.address = address
    self.keys = keys
    self.link = link
    self.onEvent = onEvent
  }

  var deadline: Instant { link.deadline }
  var numbers: LinkNumbers { link.numbers }
  var hasSinks: Bool { !sinks.isEmpty }

  // MARK: Streams

  func add(_ source: any LinkSource, stream: UInt32) {
    sources.removeAll { $0.stream == stream }
    guard link.feed(true, stream: stream, place: source.place) else { return }
    // Audio has the first turn.
    let isFirst = source.place == .audio
    sources.insert(Source(source: source, stream: stream), at: isFirst ? 0 : sources.count)
    if let wish = link.wish(of: stream) { source.wished(wish) }
  }

  func removeSource(_ stream: UInt32) {
    sources.removeAll { $0.stream == stream }
    link.feed(false, stream: stream)
  }

  func add(_ sink: any LinkSink, stream: UInt32) {
    let sink = Sink(sink)
    guard link.want(sink.wish, of: stream) else { return }
    sinks[stream] = sink
  }

  func removeSink(_ stream: UInt32) {
    sinks[stream] = nil
    link.want(nil, of: stream)
  }

  /// Reads what the sinks want.
  func readWishes() {
    for (stream, sink) in sinks {
      let wish = sink.sink.wish
      guard wish != sink.wish else { continue }
      sink.wish = wish
      link.want(wish, of: stream)
    }
  }

  // MARK: Datagrams

  func receive(_ datagram: UnsafeRawBufferPointer, now: Instant) {
    link.receive(datagram, now: now) { record, payload in
      guard let sink = sinks[record.stream] else {
        unknownStreams &+= 1
        return
      }
      sink.sink.write(record, payload)
      if !sink.isWritten {
        sink.isWritten = true
        written.append(sink)
      }
    }
  }

  /// Ends a group of received datagrams.
  func commit() {
    for sink in written {
      sink.isWritten = false
      sink.sink.commit()
    }
    written.removeAll(keepingCapacity: true)
  }

  /// Takes records from the sources in turn, and sends them and what else is due. Returns whether sources may have more.
  func send(with batch: inout DatagramBatch, socket: Int32, now: Instant) -> Bool {
    link.advance(to: now)
    batch.endMessage()
    var isMore = false
    for source in sources {
      var taken = 0
      while taken < Self.recordsPerTurn,
        source.source.read({ record, payload in
          var record = record
          record.stream = source.stream
          _ = link.write(record, payload, now: now)
        })
      { taken += 1 }
      if taken == Self.recordsPerTurn { isMore = true }
      if taken > 0 { drain(into: &batch, socket: socket, now: now) }
    }
    link.flush(now: now)
    drain(into: &batch, socket: socket, now: now)
    reportEvents()
    return isMore
  }

  private func drain(into batch: inout DatagramBatch, socket: Int32, now: Instant) {
    while true {
      if batch.isFull { batch.flush(to: socket) }
      let length = link.next(into: batch.next, now: now)
      guard length > 0 else { return }
      batch.commit(length, to: address)
    }
  }

  private func reportEvents() {
    while let event = link.nextEvent() {
      switch event {
      case .wished(let stream, let wish): for source in sources where source.stream == stream { source.source.wished(wish) }
      case .unwished(let stream): for source in sources where source.stream == stream { source.source.wished(nil) }
      default: break
      }
      onEvent(event)
    }
  }

  func publish() {
    handle.publish(
      OpenLink.Status(liveness: link.liveness, estimate: link.estimate, adaptation: link.adaptation, counters: link.counters))
  }
}
