import RoomCLinux
import Glibc
import RoomRTP
import RoomWebRTC

/// A media worker's thread: epoll over its sockets and the mailbox, and a clock. It passes all input to its `Forwarder`, which
/// decides everything else.
///
/// Created, used and released on the worker's own thread.
final class WorkerLoop {
  /// Maximum consecutive receive batches before the mailbox and the clock.
  private static let roundsPerWakeup = 16
  /// Microseconds between two checks of silent connections and of the wall clock.
  private static let sweepInterval: Int64 = 1_000_000

  let sockets: MediaSockets
  let forwarder: Forwarder
  let epoll: Int32
  private let load: WorkerLoad
  private let mailbox: Mailbox
  private var incoming = ReceiveBatch()
  /// Whether descriptors ran out: connections wait in the kernel until the next sweep.
  var areListenersPaused = false
  private var nextSweep = Instant(microseconds: 0)
  /// The time of the last sweep, and the thread's CPU time then, in microseconds.
  private var swept: (at: Instant, cpu: Int64)?
  private var isRunning = true

  init(mailbox: Mailbox, sockets: MediaSockets, load: WorkerLoad, setup: WorkerSetup) {
    self.mailbox = mailbox
    self.sockets = sockets
    self.load = load
    forwarder = Forwarder(
      .init(
        certificate: setup.certificate, limits: setup.limits, sockets: sockets.udp.map(\.descriptor), segments: setup.segments,
        calls: setup.authority.map { .kernel(while: $0) } ?? .kernel))
    epoll = linux_epoll_create()
    forwarder.wallOffset = Self.readWallOffset(clock())
  }

  deinit { if epoll >= 0 { _ = close(epoll) } }

  /// The kind of ready descriptor: the upper half of an epoll tag. The lower half is its index within the kind.
  enum Source: UInt64 { case mailbox, udp, listener, connection }

  private func tag(_ source: Source, _ number: Int) -> UInt64 { source.rawValue << 32 | UInt64(truncatingIfNeeded: number) }

  func watch(_ descriptor: Int32, as source: Source, number: Int = 0) -> Bool {
    linux_epoll_add(epoll, descriptor, tag(source, number)) == 0
  }

  /// Sets whether epoll watches for space in a connection's buffer.
  func watchRoom(_ descriptor: Int32, number: Int, _ watches: Bool) {
    _ = linux_epoll_modify(epoll, descriptor, tag(.connection, number), watches ? 1 : 0)
  }

  /// Runs until a `stop` command arrives.
  func run() {
    guard epoll >= 0, watch(mailbox.wakeup.descriptor, as: .mailbox),
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
            forwarder.takeInjected(now: clock())
          case .udp: receiveAll(at: number)
          case .listener: acceptConnections(at: number)
          case .connection: readConnection(number)
          case nil: break
          }
        }
        let now = clock()
        forwarder.advance(to: now)
        if now >= nextSweep { sweep(now) }
        finishConnections()
        forwarder.deliverEvents()
      }
    }
    end()
  }

  @inline(__always) func clock() -> Instant { Instant(microseconds: linux_now_us()) }

  /// Returns the microseconds until something is due; −1 if nothing is.
  private func waitingTime() -> Int64 {
    var deadline = forwarder.deadline
    if areListenersPaused || forwarder.connections.count > 0 { deadline = min(deadline ?? nextSweep, nextSweep) }
    return deadline.map { max(0, $0 - clock()) } ?? -1
  }

  private func receiveAll(at number: Int) {
    let socket = sockets.udp[number].descriptor
    for _ in 0..<Self.roundsPerWakeup {
      let count = incoming.receive(from: socket)
      guard count > 0 else { return }
      // A client's first check may follow the offer of its transport so soon that both wait here.
      if !mailbox.isEmpty { carryOut(mailbox.take()) }
      forwarder.receive(incoming, count: count, at: UInt8(truncatingIfNeeded: number), now: clock())
      if count < ReceiveBatch.count { return }
    }
  }

  private func carryOut(_ commands: [Command]) {
    guard !commands.isEmpty else { return }
    if commands.contains(where: { if case .stop = $0 { true } else { false } }) { isRunning = false }
    forwarder.counters.cpuMicroseconds = linux_thread_cpu_us()
    forwarder.carryOut(commands, now: clock())
    reportLoad()
  }

  private func reportLoad() {
    load.rooms.subtract(forwarder.takeClosedRooms(), ordering: .relaxed)
    load.transports.store(forwarder.transports.count, ordering: .relaxed)
    load.subscriptions.store(forwarder.subscriptions.count, ordering: .relaxed)
    // An idle thread sweeps no more.
    if forwarder.transports.count == 0 { load.busy.store(0, ordering: .relaxed) }
  }

  private func sweep(_ now: Instant) {
    nextSweep = now.advanced(microseconds: Self.sweepInterval)
    sweepConnections(now)
    let cpu = linux_thread_cpu_us()
    if let swept, now > swept.at {
      load.busy.store(Int(clamping: (cpu &- swept.cpu) &* 100 / (now - swept.at)), ordering: .relaxed)
    }
    swept = (now, cpu)
    forwarder.wallOffset = Self.readWallOffset(now)
  }

  /// Returns the microseconds from the monotonic clock to wall-clock time.
  private static func readWallOffset(_ now: Instant) -> Int64 {
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    return Int64(wall.tv_sec) &* 1_000_000 &+ Int64(wall.tv_nsec) / 1000 &- now.microseconds
  }

  /// Closes what is still open, and answers the remaining commands.
  private func end() {
    let now = clock()
    forwarder.closeRooms(now: now)
    closeConnections(now)
    for command in mailbox.close() {
      switch command {
      case .statistics(_, let reply): reply(MediaStatistics())
      case .counters(let reply): reply(WorkerCounters())
      default: break
      }
    }
    reportLoad()
  }
}
