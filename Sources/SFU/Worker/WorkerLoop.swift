import CLinux
import Glibc
import RTP
import WebRTC

/// A media worker's thread: epoll over its sockets and the mailbox, a clock tick, and all the tables of its rooms.
///
/// Made, used and forgotten on the worker's own thread. The packet path (`PacketPath.swift`) works on trivial slots in tables of
/// fixed size and on the two slabs; what has names or references is kept in books and touched by commands, handshakes and reports.
final class WorkerLoop {
  /// The clock's step while there are transports.
  static let tick: Int64 = 10_000
  static let nackInterval: Int64 = 20_000
  static let feedbackInterval: Int64 = 60_000
  static let levelInterval: Int64 = 200_000
  static let rateInterval: Int64 = 1_000_000
  /// Receive batches in a row before mailbox and clock get their turn.
  static let roundsPerWakeup = 16

  let setup: WorkerSetup
  let sockets: MediaSockets
  let load: WorkerLoad
  private let mailbox: Mailbox
  let epoll: Int32

  var addresses: ProbingTable<AddressKey>
  /// Incoming media SSRC → track; with RTX: the repair stream's SSRC → track.
  var mediaStreams: ProbingTable<StreamKey>
  var repairStreams: ProbingTable<StreamKey>
  /// Outgoing media SSRC → subscription.
  var outgoingStreams: ProbingTable<StreamKey>
  var transports: SlotTable<TransportSlot>
  var tracks: SlotTable<TrackSlot>
  var subscriptions: SlotTable<SubscriptionSlot>

  var incoming = ReceiveBatch()
  var outgoing: SendBatch
  var pending = PendingPackets()
  /// What abs-send-time says of packets that are sealed now: at most a batch of 64 packets old.
  var sendTime: UInt32 = 0
  var tcp: TCPConnections
  /// Descriptors ran out: connections wait in the kernel until the next sweep.
  var areListenersPaused = false

  /// Live rooms by number, and by index into the slots' `room`.
  var roomIndices: [RoomNumber: Int] = [:]
  var rooms: [RoomBook?] = []
  private var roomsToTell: [Int] = []
  var transportBooks: [Int: TransportBook] = [:]
  var trackBooks: [Int: TrackBook] = [:]
  var subscriptionBooks: [Int: SubscriptionBook] = [:]
  /// Tracks that come from this process.
  var injections: [Int] = []
  /// Local ICE user fragment → transport.
  var users: [String: Int] = [:]

  var counters = WorkerCounters()
  /// The counters' drops, in a place that the packet path can count in without a check.
  let drops: UnsafeMutablePointer<UInt64>

  /// Microseconds from the monotonic clock to the wall's.
  var wallOffset: Int64

  private var nextTick = Instant(microseconds: 0)
  private var nextNACK = Instant(microseconds: 0)
  private var nextFeedback = Instant(microseconds: 0)
  private var nextLevels = Instant(microseconds: 0)
  private var nextRates = Instant(microseconds: 0)
  private var isRunning = true

  init(mailbox: Mailbox, sockets: MediaSockets, load: WorkerLoad, setup: WorkerSetup) {
    self.mailbox = mailbox
    self.sockets = sockets
    self.load = load
    self.setup = setup
    outgoing = SendBatch(segments: setup.segments)
    let limits = setup.limits
    let streams = max(1024, limits.transportsPerWorker &* 8)
    addresses = ProbingTable(limit: limits.transportsPerWorker &* TransportSlot.maximumAddresses)
    mediaStreams = ProbingTable(limit: streams)
    repairStreams = ProbingTable(limit: streams)
    transports = SlotTable(capacity: limits.transportsPerWorker)
    tracks = SlotTable(capacity: limits.tracksPerWorker)
    subscriptions = SlotTable(capacity: limits.subscriptionsPerWorker)
    outgoingStreams = ProbingTable(limit: limits.subscriptionsPerWorker)
    tcp = TCPConnections(limits: limits)
    drops = .allocate(capacity: MediaDrop.allCases.count)
    drops.initialize(repeating: 0, count: MediaDrop.allCases.count)
    epoll = linux_epoll_create()
    wallOffset = Self.readWallOffset(Instant(microseconds: linux_now_us()))
  }

  deinit {
    drops.deallocate()
    if epoll >= 0 { _ = close(epoll) }
  }

  /// What became ready: the upper half of an epoll tag; the lower is a number among its kind.
  enum Source: UInt64 { case mailbox, udp, listener, connection }

  private func tag(_ source: Source, _ number: Int) -> UInt64 { source.rawValue << 32 | UInt64(truncatingIfNeeded: number) }

  func watch(_ descriptor: Int32, as source: Source, number: Int = 0) -> Bool {
    linux_epoll_add(epoll, descriptor, tag(source, number)) == 0
  }

  /// Whether to wake for room in a connection's buffer.
  func watchRoom(_ descriptor: Int32, number: Int, _ watches: Bool) {
    _ = linux_epoll_modify(epoll, descriptor, tag(.connection, number), watches ? 1 : 0)
  }

  /// Works until a `stop` command came.
  func run() {
    guard epoll >= 0, watch(mailbox.wakeup, as: .mailbox),
      sockets.udp.indices.allSatisfy({ watch(sockets.udp[$0].descriptor, as: .udp, number: $0) }),
      sockets.tcp.indices.allSatisfy({ watch(sockets.tcp[$0].descriptor, as: .listener, number: $0) })
    else {
      end()
      return
    }
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { tags in
      while isRunning {
        let ready = Int(linux_epoll_wait(epoll, tags.baseAddress, 16, waitingTime()))
        for index in 0..<max(0, ready) {
          let number = Int(tags[index] & 0xFFFF_FFFF)
          switch Source(rawValue: tags[index] >> 32) {
          case .mailbox:
            carryOut(mailbox.take())
            takeInjected()
          case .udp: receiveAll(at: number)
          case .listener: acceptConnections(at: number)
          case .connection: readConnection(number)
          case nil: break
          }
        }
        let now = clock()
        if let deadline = pending.deadline, now >= deadline { finishReceiving(now) }
        if now >= nextTick && isTicking { advance(to: now) }
        finishConnections()
        deliverEvents()
      }
    }
    end()
  }

  @inline(__always) func clock() -> Instant { Instant(microseconds: linux_now_us()) }

  private var isTicking: Bool { transports.count > 0 || tcp.count > 0 || !injections.isEmpty || areListenersPaused }

  private func waitingTime() -> Int64 {
    guard isTicking else { return -1 }
    return max(0, min(nextTick, pending.deadline ?? nextTick) - clock())
  }

  private func carryOut(_ commands: [Command]) {
    guard !commands.isEmpty else { return }
    let now = clock()
    // Commands change what the waiting packets lead to.
    forwardPending(now, all: true)
    for command in commands {
      if case .stop = command { isRunning = false } else { carryOut(command, now: now) }
    }
    flush()
    load.transports.store(transports.count, ordering: .relaxed)
    load.subscriptions.store(subscriptions.count, ordering: .relaxed)
  }

  private func receiveAll(at number: Int) {
    let socket = sockets.udp[number].descriptor
    for _ in 0..<Self.roundsPerWakeup {
      let count = incoming.receive(from: socket)
      guard count > 0 else { return }
      receive(count, at: UInt8(truncatingIfNeeded: number), now: clock())
      if count < ReceiveBatch.count { return }
    }
  }

  private func advance(to now: Instant) {
    nextTick = now.advanced(microseconds: Self.tick)
    advancePeers(now)
    if now >= nextNACK {
      nextNACK = now.advanced(microseconds: Self.nackInterval)
      requestMissing(now)
    }
    if now >= nextFeedback {
      nextFeedback = now.advanced(microseconds: Self.feedbackInterval)
      sendTransportFeedback(now)
    }
    if now >= nextLevels {
      nextLevels = now.advanced(microseconds: Self.levelInterval)
      tellLevels()
    }
    askForKeyFrames(now)
    sendReports(now)
    if now >= nextRates {
      nextRates = now.advanced(microseconds: Self.rateInterval)
      rollRates(now)
      sweepConnections(now)
    }
    flush()
  }

  /// Notes an event; the control plane gets it with the others of this turn of the loop.
  func tell(_ event: MediaEvent, to room: Int) {
    guard let book = rooms[room] else { return }
    if book.tell(event) { roomsToTell.append(room) }
  }

  private func deliverEvents() {
    guard !roomsToTell.isEmpty else { return }
    for room in roomsToTell { rooms[room]?.deliver() }
    roomsToTell.removeAll(keepingCapacity: true)
  }

  /// Closes what is left and answers who still waits.
  private func end() {
    let now = clock()
    for number in Array(roomIndices.keys) { closeRoom(number, now: now) }
    flush()
    closeConnections(now)
    for command in mailbox.shut() {
      switch command {
      case .statistics(_, let reply): reply(MediaStatistics())
      case .counters(let reply): reply(WorkerCounters())
      default: break
      }
    }
    load.transports.store(0, ordering: .relaxed)
    load.subscriptions.store(0, ordering: .relaxed)
  }

  @inline(__always) func drop(_ reason: MediaDrop) { drops[Int(reason.rawValue)] &+= 1 }

  /// Sends what the batch holds.
  func flush() {
    guard outgoing.count > 0 else { return }
    let outcome = outgoing.flush()
    counters.packetsSent &+= UInt64(outcome.packets)
    counters.bytesSent &+= UInt64(outcome.bytes)
    counters.segmentedMessages &+= UInt64(outcome.segmentedMessages)
    counters.segmentedPackets &+= UInt64(outcome.segments)
    counters.segmentationRefused &+= UInt64(outcome.refusedMessages)
    drops[Int(MediaDrop.sendFailed.rawValue)] &+= UInt64(outcome.failed)
    drops[Int(MediaDrop.sendBufferFull.rawValue)] &+= UInt64(outcome.full)
    for index in 0..<outcome.lagging { fallBehind(Int(outgoing.dropped[index])) }
  }

  /// Takes what was written at the batch's next place: the one way out for every packet of the worker.
  @inline(__always) func commit(
    _ length: Int, to destination: Destination, subscription: Int32 = -1, joins: Bool = false
  ) {
    if destination.connection >= 0 { return commitTCP(length, to: destination, subscription: subscription) }
    outgoing.commit(length, to: destination, subscription: subscription, joins: joins)
  }

  /// Where a peer's packets go: by which socket, or over which connection.
  func destination(of address: TransportAddress) -> Destination {
    if address.isTCP {
      let index = tcp.index(of: AddressKey(address))
      guard index >= 0 else { return Destination() }
      return Destination(connection: Int32(truncatingIfNeeded: index), generation: tcp.generation(index))
    }
    let number = Int(address.socket)
    return Destination(address, socket: number < sockets.udp.count ? sockets.udp[number].descriptor : -1)
  }

  /// Makes room for one more packet. The batch may still be full afterwards, when the socket takes nothing.
  @inline(__always) func makeRoom() -> Bool {
    if outgoing.isFull {
      flush()
      sendTime = AbsSendTime(clock()).rawValue
    }
    return !outgoing.isFull
  }
}
