import RoomRTP
import RoomWebRTC

/// The rooms of one worker and the path of every packet through them, without I/O: it reads no socket and no clock.
///
/// Its owner
/// 1. passes in what arrives: datagrams (`receive(_:count:at:now:)`), bytes of TCP connections (`endReading`), commands
///    (`carryOut`), packets of this process (`takeInjected`), and the time (`advance`, at the latest at `deadline`);
/// 2. then writes and closes the connections that `nextBusyConnection` returns, and calls `deliverEvents`.
///
/// Packets are sealed into `outgoing`, the memory that the kernel sends from. It is flushed through `SendingCalls` when it is
/// full and before each of these calls returns.
///
/// The packet path (`PacketPath.swift`) works on trivial slots in tables of fixed size and on the batches. Names and references
/// are kept in books, which commands, handshakes and reports use. Not thread-safe: one thread owns it.
final class Forwarder {
  /// The dependencies and options of a forwarder.
  struct Setup {
    var certificate: Certificate
    var limits = MediaLimits()
    /// The descriptors of the UDP sockets. The index is the `socket` of the addresses of peers that use it.
    var sockets: [Int32]
    /// Whether to send several packets as one message that the kernel segments.
    var segments = true
    /// The system calls that send packets.
    var calls: SendingCalls
    /// The source of first sequence numbers, SSRCs and the spread of reports.
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  }

  /// Microseconds between two clock ticks while there are transports.
  static let tick: Int64 = 10_000
  static let nackInterval: Int64 = 20_000
  static let feedbackInterval: Int64 = 60_000
  static let levelInterval: Int64 = 200_000
  static let rateInterval: Int64 = 1_000_000
  /// Microseconds between two turns of paced paths and probes.
  static let paceInterval: Int64 = 5000

  let certificate: Certificate
  let limits: MediaLimits
  let sockets: [Int32]
  let calls: SendingCalls
  var random: any RandomNumberGenerator

  var addresses: ProbingTable<AddressKey>
  /// Incoming media SSRC → track; with RTX: the repair stream's SSRC → track.
  var mediaStreams: ProbingTable<StreamKey>
  var repairStreams: ProbingTable<StreamKey>
  /// Outgoing media SSRC → subscription.
  var outgoingStreams: ProbingTable<StreamKey>
  var transports: SlotTable<TransportSlot>
  var tracks: SlotTable<TrackSlot>
  var subscriptions: SlotTable<SubscriptionSlot>

  var outgoing: SendBatch
  var pending = PendingPackets()
  /// The abs-send-time of packets that are sealed now: at most a batch of 64 packets old.
  var sendTime: UInt32 = 0
  /// The same time on the monotonic clock.
  var sentAt = Instant(microseconds: 0)
  var connections: TCPConnections
  /// The transports with a path that is paced or probed.
  var servedTransports: [Int] = []
  /// The bottlenecks that paths share, by the IP address of their peers: those of addresses with several limited paths.
  var bottlenecks: [SIMD2<UInt64>: SharedBottleneck] = [:]
  /// A packet of padding for probes.
  let paddingPacket: PaddingPacket

  /// Open rooms by number. The value is the index that the slots' `room` refers to.
  var roomIndices: [RoomNumber: Int] = [:]
  var rooms: [MediaRoomState?] = []
  private var roomsWithEvents: [Int] = []
  var closedRooms = 0
  /// The rooms that other workers send levels for.
  var roomsWithOtherLevels = 0
  var transportBooks: [Int: TransportState] = [:]
  var trackBooks: [Int: TrackState] = [:]
  var subscriptionBooks: [Int: SubscriptionState] = [:]
  /// Tracks that come from this process.
  var injections: [Int] = []
  /// The part of them that are of tracks at other workers.
  var linkEnds = 0
  /// Tracks that are linked to other workers, once for each link.
  var linked: [Int] = []
  /// The workers whose links have new records, as bits, and the eventfds of all.
  var wokenWorkers: UInt64 = 0
  let linkDescriptors: UnsafeMutablePointer<Int32>
  /// The first layers of simulcasts.
  var layered: [Int] = []
  /// The layers whose key frame has arrived and that subscriptions move to.
  var switching: [Int] = []
  /// The transports with messages that wait for a data channel, or whose messages are held back.
  var busyData: Set<Int> = []
  /// Local ICE user fragment → transport.
  var users: [String: Int] = [:]

  var counters = WorkerCounters()
  /// The counters' drops, in memory that the packet path increments without a check.
  let drops: UnsafeMutablePointer<UInt64>

  /// Microseconds from the monotonic clock to wall-clock time. The owner keeps it up to date.
  var wallOffset: Int64 = 0

  private var nextPace = Instant(microseconds: 0)
  private var nextTick = Instant(microseconds: 0)
  private var nextNACK = Instant(microseconds: 0)
  private var nextFeedback = Instant(microseconds: 0)
  private var nextLevels = Instant(microseconds: 0)
  private var nextLayers = Instant(microseconds: 0)
  private var nextRates = Instant(microseconds: 0)

  init(_ setup: Setup) {
    certificate = setup.certificate
    limits = setup.limits
    sockets = setup.sockets
    calls = setup.calls
    random = setup.random
    outgoing = SendBatch(calls: setup.calls, segments: setup.segments)
    let streams = max(1024, limits.transportsPerWorker &* 8)
    addresses = ProbingTable(limit: limits.transportsPerWorker &* TransportSlot.maximumAddresses)
    mediaStreams = ProbingTable(limit: streams)
    repairStreams = ProbingTable(limit: streams)
    transports = SlotTable(capacity: limits.transportsPerWorker)
    tracks = SlotTable(capacity: limits.tracksPerWorker)
    subscriptions = SlotTable(capacity: limits.subscriptionsPerWorker)
    outgoingStreams = ProbingTable(limit: limits.subscriptionsPerWorker)
    connections = TCPConnections(limits: limits)
    paddingPacket = PaddingPacket()
    linkDescriptors = .allocate(capacity: Self.maximumWorkers)
    linkDescriptors.initialize(repeating: -1, count: Self.maximumWorkers)
    drops = .allocate(capacity: MediaDrop.allCases.count)
    drops.initialize(repeating: 0, count: MediaDrop.allCases.count)
    // The packet path appends to it.
    switching.reserveCapacity(64)
  }

  deinit {
    drops.deallocate()
    linkDescriptors.deallocate()
    paddingPacket.free()
    for index in 0..<transports.end where transports.isLive(index) { freePath(of: index) }
  }

  // MARK: Time

  private var isTicking: Bool { transports.count > 0 || !injections.isEmpty || roomsWithOtherLevels > 0 }

  /// The next time at which `advance` is due, possibly in the past; nil if nothing is pending.
  var deadline: Instant? {
    guard isTicking else { return nil }
    return min(nextTick, min(pending.deadline ?? nextTick, servedTransports.isEmpty ? nextTick : nextPace))
  }

  /// Does what is due: sends packets that have waited for the rest of their frame, NACKs, feedback, reports and key frame
  /// requests.
  func advance(to now: Instant) {
    if let deadline = pending.deadline, now >= deadline { finishReceiving(now) }
    if now >= nextPace, !servedTransports.isEmpty {
      nextPace = now.advanced(microseconds: Self.paceInterval)
      serve(now)
      takeSwitching(now)
      flush()
    }
    if isTicking, now >= nextTick { step(now) }
  }

  private func step(_ now: Instant) {
    nextTick = now.advanced(microseconds: Self.tick)
    advancePeers(now)
    if !busyData.isEmpty { serveData(now) }
    takeSwitching(now)
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
      reportLevels()
    }
    if now >= nextLayers {
      nextLayers = now.advanced(microseconds: Self.layerInterval)
      allocate(now)
      chooseLayers(now)
      chooseLinked()
      updateLimits(now)
      limitPublishers(now)
    }
    takeLinkedRequests()
    sendKeyFrameRequests(now)
    sendReports(now)
    if now >= nextRates {
      nextRates = now.advanced(microseconds: Self.rateInterval)
      rollRates(now)
      reportQuality(now)
    }
    flush()
  }

  // MARK: Commands and events

  /// Executes commands in order, and sends the resulting packets.
  func carryOut(_ commands: [Command], now: Instant) {
    // Commands may change where pending packets are sent.
    forwardPending(now, all: true)
    for command in commands { carryOut(command, now: now) }
    wakeWorkers()
    flush()
  }

  /// Closes all rooms with their transports.
  func closeRooms(now: Instant) {
    for number in Array(roomIndices.keys) { closeRoom(number, now: now) }
    flush()
  }

  /// Returns the number of rooms closed since the last call.
  func takeClosedRooms() -> Int {
    defer { closedRooms = 0 }
    return closedRooms
  }

  /// Queues an event for `deliverEvents`.
  func report(_ event: MediaEvent, to room: Int) {
    guard let book = rooms[room] else { return }
    if book.report(event) { roomsWithEvents.append(room) }
  }

  /// Delivers to each room its events since the last call, in order.
  func deliverEvents() {
    guard !roomsWithEvents.isEmpty else { return }
    for room in roomsWithEvents { rooms[room]?.deliver() }
    roomsWithEvents.removeAll(keepingCapacity: true)
  }

  @inline(__always) func drop(_ reason: MediaDrop) { drops[Int(reason.rawValue)] &+= 1 }
}
