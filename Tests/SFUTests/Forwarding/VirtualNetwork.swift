import RoomCLinux
import Glibc
import RoomLinkModel
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

/// A forwarder with one room and clients, on an in-memory network in virtual time. A run takes no longer than its computation,
/// and is deterministic. With several forwarders, each is a worker that has every so many clients, with links between them.
final class VirtualNetwork {
  /// One-way delay of a datagram, in microseconds.
  static let delay: Int64 = 10_000
  static func server(_ worker: Int) -> TransportAddress { TransportAddress(ipv4: 0x0A00_0001, port: UInt16(8100 + worker)) }
  static let room = RoomNumber(rawValue: 1)

  /// The number of forwarders. Tests run with several by `$workers`.
  @TaskLocal static var workers = 1

  private struct Datagram {
    var bytes: [UInt8]
    var arrival: Instant
    /// The receiving client; nil for a datagram to the forwarder of `worker`.
    var receiver: VirtualClient?
    var source: TransportAddress
    var worker = 0
  }

  private(set) var now = Instant(microseconds: 1_000_000_000)
  let forwarders: [Forwarder]
  private var spread: RoomSpread
  var forwarder: Forwarder { forwarders[0] }
  let certificate: Certificate
  private(set) var clients: [VirtualClient] = []
  /// The room's events, each with its time.
  private(set) var events: [(at: Instant, event: MediaEvent)] = []
  /// Whether the forwarder's socket accepts nothing.
  var isFull: Bool {
    get { wire.isFull }
    set { wire.isFull = newValue }
  }
  /// Decides whether to lose a datagram from or to a client.
  var loses: (_ client: VirtualClient, _ isToServer: Bool) -> Bool = { _, _ in false }

  /// The links to and from clients whose networks are not perfect, by their id.
  var links: [TransportID: LinkModel] = [:]
  var uplinks: [TransportID: LinkModel] = [:]
  /// Whether all clients have one IP address.
  let sharesAddress: Bool
  /// The clients that are behind the link of another client.
  var behind: [TransportID: TransportID] = [:]
  /// TCP flows on the links of clients.
  var flows: [(flow: CubicFlow, client: TransportID)] = []
  /// Called with each datagram from the forwarder, as it is sent.
  var onSend: (_ client: VirtualClient, _ datagram: [UInt8]) -> Void = { _, _ in }

  private let wire = VirtualWire()
  private let reported = Locked<[MediaEvent]>([])
  private let batch = ReceiveBatch()
  /// Datagrams in transit, in the order of sending and of arrival.
  private var underWay: [Datagram] = []

  /// Levels that the workers measured, for the first.
  private let levels = Locked<[TrackLevel]>([])

  init(limits: MediaLimits = MediaLimits(), sharesAddress: Bool = false) throws {
    self.sharesAddress = sharesAddress
    let certificate = try Certificate()
    self.certificate = certificate
    let (wire, wakeup, reported, levels) = (wire, try Wakeup(), reported, levels)
    forwarders = (0..<Self.workers).map { worker in
      let forwarder = Forwarder(
        .init(certificate: certificate, limits: limits, sockets: [5], calls: wire.calls, random: SeededGenerator(seed: 1)))
      // The wall clock is an hour ahead of the monotonic one.
      forwarder.wallOffset = 3_600_000_000
      return forwarder
    }
    spread = RoomSpread(number: Self.room, home: 0, transportsPerWorker: 1) { member, isVideo, layers, isContinued in
      TrackInjection(
        isVideo: isVideo, layers: layers, isLink: true, isContinued: isContinued, isReported: false,
        reader: min(member, Forwarder.networkWorker),
        wakeup: wakeup)
    }
    wire.now = now
    for (worker, forwarder) in forwarders.enumerated() {
      let open = Command.openRoom(Self.room) { event in
        switch event {
        case .audioLevels(let own) where worker > 0: levels.withLock { $0 += own }
        case .activeSpeakers where worker > 0: break
        default: reported.withLock { $0.append(event) }
        }
      }
      forwarder.carryOut([open], now: now)
    }
  }

  func order(_ orders: MediaOrder...) { order(orders.map { .order(Self.room, $0) }) }

  func order(_ commands: Command...) { order(commands) }

  private func order(_ commands: [Command]) {
    wire.now = now
    if forwarders.count == 1 {
      forwarder.carryOut(commands, now: now)
    } else {
      for post in commands.flatMap({ posts(of: $0) }) { forwarders[post.worker].carryOut([post.command], now: now) }
      forwardLinked()
    }
    collect()
  }

  /// The worker of a client.
  func worker(of client: TransportID) -> Int { Int(client.rawValue + 1) % forwarders.count }

  /// Returns the commands for the workers of a room's command.
  private func posts(of command: Command) -> [RoomSpread.Post] {
    switch command {
    case .order(_, .open(let id, let local, _)): spread.open(id, local, at: worker(of: id))
    case .order(_, let order): spread.perform(order)
    case .inject(_, let id, let parameters, let injection):
      spread.inject(
        id, parameters, injection, layers: Array(sequence(first: injection, next: \.nextLayer)).count)
    case .tap(_, let id, _), .untap(_, let id, _), .setTapSize(_, let id, _): spread.toTrack(id, command)
    default: forwarders.indices.map { RoomSpread.Post(worker: $0, command: command) }
    }
  }

  /// Lets the workers read the links that lead to them, and the first the levels of all.
  private func forwardLinked() {
    guard forwarders.count > 1 else { return }
    while wire.takeWoken() { for forwarder in forwarders { forwarder.takeInjected(now: now) } }
    for forwarder in forwarders { forwarder.deliverEvents() }
    let levels = levels.withLock { all in
      defer { all = [] }
      return all
    }
    if !levels.isEmpty { forwarder.carryOut([.setLevels(Self.room, levels)], now: now) }
  }

  /// Creates a client that is connecting.
  func client(_ number: UInt32) throws -> VirtualClient {
    let client = try VirtualClient(number, on: self)
    clients.append(client)
    return client
  }

  /// Creates clients, each with a connected transport.
  func connectedClients(_ count: UInt32) throws -> [VirtualClient] {
    let made = try (1...count).map { try client($0) }
    run(milliseconds: 300)
    for client in made { try #require(client.isConnected && happened(.transportConnected(client.id))) }
    return made
  }

  /// Forgets all events, with the shares of their messages.
  func forgetEvents() { events = [] }

  func happened(_ event: MediaEvent) -> Bool { events.contains { $0.event == event } }

  var counters: WorkerCounters { MediaCounters(workers: forwarders.map { $0.currentCounters() }).total }

  var statistics: MediaStatistics {
    var merged = MediaStatistics()
    for (worker, forwarder) in forwarders.enumerated() {
      merged.merge(forwarder.statistics(of: Self.room)) { forwarders.count == 1 || spread.receives($0, at: worker) }
    }
    return merged
  }

  /// Advances the time, and runs everything that becomes due.
  func run(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    step()
    while let next = nextMoment, next <= end {
      now = max(now, next)
      step()
    }
    now = end
  }

  private var nextMoment: Instant? {
    (clients.map(\.deadline) + forwarders.map(\.deadline) + [underWay.first?.arrival]
      + flows.map { Instant(microseconds: $0.flow.due) }).lazy.compactMap { $0 }.min()
  }

  /// Runs one turn of the forwarder and all clients.
  private func step() {
    wire.now = now
    var arrived: [Datagram] = []
    while let first = underWay.first, first.arrival <= now { arrived.append(underWay.removeFirst()) }
    for (worker, forwarder) in forwarders.enumerated() {
      receive(arrived.filter { $0.receiver == nil && $0.worker == worker }, at: forwarder)
      forwarder.takeInjected(now: now)
      forwarder.advance(to: now)
    }
    forwardLinked()
    collect()
    for datagram in arrived { datagram.receiver?.receive(datagram.bytes, now: now) }
    for client in clients { client.advance(to: now) }
    for (flow, client) in flows where flow.due <= now.microseconds {
      flow.act(now: now.microseconds) { bytes in
        switch links[client]?.send(bytes: bytes, at: now) {
        case .arrives(let arrival), .arrivesTwice(let arrival, _): arrival.microseconds
        case .lost, .overflowed, nil: nil
        }
      }
    }
  }

  private func receive(_ datagrams: [Datagram], at forwarder: Forwarder) {
    var rest = datagrams[...]
    while !rest.isEmpty {
      let part = rest.prefix(ReceiveBatch.count)
      for (index, datagram) in part.enumerated() {
        batch[index].pointee.data.update(from: datagram.bytes, count: datagram.bytes.count)
        batch[index].pointee.length = UInt32(datagram.bytes.count)
        _ = datagram.source.write(to: &batch[index].pointee.address)
      }
      forwarder.receive(batch, count: part.count, at: 0, now: now)
      rest = rest.dropFirst(part.count)
    }
  }

  /// Collects the forwarder's datagrams and events.
  private func collect() {
    for forwarder in forwarders { forwarder.deliverEvents() }
    events += reported.withLock { all in
      defer { all = [] }
      return all
    }.map { (now, $0) }
    for (bytes, address) in wire.takeSent() {
      guard let client = clients.first(where: { $0.address == address }) else { continue }
      onSend(client, bytes)
      guard !loses(client, false), let arrival = Self.arrival(of: bytes, over: &links[behind[client.id] ?? client.id], at: now)
      else { continue }
      add(Datagram(bytes: bytes, arrival: arrival, receiver: client, source: client.server))
    }
  }

  /// Returns when a datagram arrives; nil if it is lost.
  private static func arrival(of bytes: [UInt8], over link: inout LinkModel?, at now: Instant) -> Instant? {
    // IP and UDP add 28 bytes.
    switch link?.send(bytes: bytes.count + 28, at: now) {
    case nil: now.advanced(microseconds: delay)
    case .arrives(let time), .arrivesTwice(let time, _): time
    case .lost, .overflowed: nil
    }
  }

  private func add(_ datagram: Datagram) {
    var (low, high) = (0, underWay.count)
    while low < high {
      let middle = (low + high) / 2
      if underWay[middle].arrival <= datagram.arrival { low = middle + 1 } else { high = middle }
    }
    underWay.insert(datagram, at: low)
  }

  func send(_ bytes: [UInt8], from client: VirtualClient) {
    guard !bytes.isEmpty, !loses(client, true), let arrival = Self.arrival(of: bytes, over: &uplinks[client.id], at: now)
    else { return }
    add(
      Datagram(bytes: bytes, arrival: arrival, receiver: nil, source: client.address, worker: worker(of: client.id)))
  }
}

/// The forwarder's side of the network: records what is sent.
private final class VirtualWire {
  var now = Instant(microseconds: 0)
  var isFull = false
  private var sent: [(bytes: [UInt8], to: TransportAddress)] = []
  private var isWoken = false

  /// Returns whether a worker was woken since the last call.
  func takeWoken() -> Bool {
    defer { isWoken = false }
    return isWoken
  }

  var calls: SendingCalls {
    SendingCalls(
      context: Unmanaged.passUnretained(self).toOpaque(),
      batch: { context, _, messages, count in VirtualWire.from(context)?.take(messages, Int(count)) ?? -EBADF },
      single: { context, _, messages, _ in VirtualWire.from(context)?.take(messages, 1) ?? -EBADF },
      wake: { context, _ in VirtualWire.from(context)?.isWoken = true },
      clock: { context in VirtualWire.from(context)?.now.microseconds ?? 0 })
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> VirtualWire? {
    context.map { Unmanaged<VirtualWire>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(_ messages: UnsafePointer<linux_datagram>, _ count: Int) -> Int32 {
    guard !isFull else { return -EAGAIN }
    for index in 0..<count {
      let bytes = Array(UnsafeBufferPointer(start: messages[index].data, count: Int(messages[index].capacity)))
      let segment = messages[index].segment == 0 ? max(1, bytes.count) : Int(messages[index].segment)
      var address = messages[index].address
      guard let receiver = TransportAddress(&address) else { continue }
      for start in stride(from: 0, to: bytes.count, by: segment) {
        sent.append((Array(bytes[start..<min(start + segment, bytes.count)]), receiver))
      }
    }
    return Int32(count)
  }

  func takeSent() -> [(bytes: [UInt8], to: TransportAddress)] {
    defer { sent = [] }
    return sent
  }
}
