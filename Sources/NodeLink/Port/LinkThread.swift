import RoomCLinux
import Glibc
import RoomRTP

/// What the port's thread begins with.
final class LinkThread: Sendable {
  private let mailbox: LinkMailbox
  private let socket: Int32
  private let segments: Bool
  private let figures: PortFigures

  init(mailbox: LinkMailbox, socket: Int32, segments: Bool, figures: PortFigures) {
    self.mailbox = mailbox
    self.socket = socket
    self.segments = segments
    self.figures = figures
  }

  func run() {
    linux_thread_name("node-links")
    // Created here, so that no other thread ever sees any part of the loop.
    LinkLoop(mailbox: mailbox, socket: socket, segments: segments, figures: figures).run()
    mailbox.end()
  }
}

/// The loop of the port's thread: epoll over the socket and the mailbox, and a clock.
private final class LinkLoop {
  private enum Tag: UInt64 { case mailbox, socket }

  private static let maximumLinks = 1024
  /// Keys whose numbers are remembered: one for each incarnation of another node.
  private static let maximumPasts = 65_536
  /// Receive batches before the mailbox and the clock have their turn.
  private static let roundsPerWakeup = 8
  /// Microseconds between two readings of what sinks want, and the longest wait.
  private static let wishInterval: Int64 = 5_000
  private static let longestWishInterval: Int64 = 20_000
  private static let publishInterval: Int64 = 100_000

  private let mailbox: LinkMailbox
  private let socket: Int32
  private let figures: PortFigures
  private let epoll: Int32
  private var incoming = IncomingBatch()
  private var batch: DatagramBatch
  private var peers: [LinkPeer] = []
  private var byAddress: [NodeAddress: LinkPeer] = [:]
  /// The numbers of closed links, by the key with which they sent.
  private var pasts: [DirectionKeys: LinkNumbers] = [:]
  private var counters = PortCounters()
  /// Records of unknown streams on links that were closed.
  private var closedUnknownStreams: UInt64 = 0
  private var wishesAt = Instant(microseconds: 0)
  private var publishAt = Instant(microseconds: 0)
  private var isRunning = true

  init(mailbox: LinkMailbox, socket: Int32, segments: Bool, figures: PortFigures) {
    self.mailbox = mailbox
    self.socket = socket
    self.figures = figures
    batch = DatagramBatch(segments: segments)
    epoll = linux_epoll_create()
  }

  deinit { if epoll >= 0 { _ = close(epoll) } }

  func run() {
    guard epoll >= 0, linux_epoll_add(epoll, mailbox.wakeDescriptor, Tag.mailbox.rawValue) == 0,
      linux_epoll_add(epoll, socket, Tag.socket.rawValue) == 0
    else { return }
    var isMore = false
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { tags in
      while isRunning {
        let ready = Int(linux_epoll_wait(epoll, tags.baseAddress, 16, isMore ? 0 : waitingTime()))
        for index in 0..<max(0, ready) {
          switch Tag(rawValue: tags[index]) {
          case .mailbox: for command in mailbox.take() { carryOut(command) }
          case .socket: receive()
          case nil: break
          }
        }
        isMore = send()
      }
    }
    publish(clock())
  }

  private func clock() -> Instant { Instant(microseconds: linux_now_us()) }

  /// Returns the microseconds until something is due.
  private func waitingTime() -> Int64 {
    let now = clock()
    var deadline = publishAt
    for peer in peers {
      deadline = min(deadline, peer.deadline)
      if peer.hasSinks { deadline = min(deadline, now.advanced(microseconds: Self.longestWishInterval)) }
    }
    return max(0, deadline - now)
  }

  private func receive() {
    var last: (address: NodeAddress, peer: LinkPeer)?
    for _ in 0..<Self.roundsPerWakeup {
      let count = incoming.receive(from: socket)
      guard count > 0 else { break }
      let now = clock()
      counters.datagramsReceived &+= UInt64(count)
      for index in 0..<count {
        guard let address = incoming.address(index) else { continue }
        if last?.address != address { last = byAddress[address].map { (address, $0) } }
        guard let last else {
          counters.unknownAddress &+= 1
          continue
        }
        last.peer.receive(incoming[index], now: now)
      }
      if count < IncomingBatch.count { break }
    }
    for peer in peers { peer.commit() }
  }

  /// Sends what is due. Returns whether sources may have more.
  private func send() -> Bool {
    let now = clock()
    let readsWishes = now >= wishesAt
    if readsWishes { wishesAt = now.advanced(microseconds: Self.wishInterval) }
    var isMore = false
    for peer in peers {
      if readsWishes { peer.readWishes() }
      if peer.send(with: &batch, socket: socket, now: now) { isMore = true }
    }
    batch.flush(to: socket)
    if now >= publishAt { publish(now) }
    return isMore
  }

  private func publish(_ now: Instant) {
    publishAt = now.advanced(microseconds: Self.publishInterval)
    let sent = batch.counters
    counters.datagramsSent = sent.datagrams
    counters.messagesSent = sent.messages
    counters.socketFull = sent.full
    counters.sendFailed = sent.failed
    counters.links = peers.count
    counters.unknownStream = peers.reduce(closedUnknownStreams) { $0 &+ $1.unknownStreams }
    counters.cpuMicroseconds = linux_thread_cpu_us()
    let newest = counters
    figures.counters.withLock { $0 = newest }
    for peer in peers { peer.publish() }
  }

  private func carryOut(_ command: LinkCommand) {
    switch command {
    case .open(let handle, let address, let keys, let options, let onEvent):
      if let replaced = byAddress[address] { remove(replaced) }
      guard peers.count < Self.maximumLinks, pasts.count < Self.maximumPasts,
        !peers.contains(where: { $0.keys.sending == keys.sending }),
        let link = try? Link(keys, continuing: pasts[keys.sending] ?? LinkNumbers(), options: options, now: clock())
      else {
        counters.linksRefused &+= 1
        onEvent(.dead)
        return
      }
      let peer = LinkPeer(handle, address, keys, link, onEvent: onEvent)
      peers.append(peer)
      byAddress[address] = peer
    case .close(let handle): if let peer = peer(handle) { remove(peer) }
    case .send(let source, let stream, let handle): peer(handle)?.add(source, stream: stream)
    case .stopSending(let stream, let handle): peer(handle)?.removeSource(stream)
    case .receive(let sink, let stream, let handle): peer(handle)?.add(sink, stream: stream)
    case .stopReceiving(let stream, let handle): peer(handle)?.removeSink(stream)
    case .stop: isRunning = false
    }
  }

  private func peer(_ handle: OpenLink) -> LinkPeer? { peers.first { $0.handle === handle } }

  private func remove(_ peer: LinkPeer) {
    peer.publish()
    pasts[peer.keys.sending] = peer.numbers
    closedUnknownStreams &+= peer.unknownStreams
    peers.removeAll { $0 === peer }
    byAddress[peer.address] = nil
  }
}
