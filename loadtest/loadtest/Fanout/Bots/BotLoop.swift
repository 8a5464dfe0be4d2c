import CLinux
import Foundation
import Glibc
import RTP
import RoomClient
import Synchronization
import WebRTC

/// A bot on a loop's thread: a socket, and something sans-I/O behind it.
protocol LoopBot: AnyObject {
  var socket: UDPSocket { get }
  /// When `advance` is due; nil while nothing is awaited.
  var deadline: Instant? { get }
  /// Whether what comes has to be answered at once.
  var isInHaste: Bool { get }
  func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant)
  func advance(to now: Instant)
  /// Says goodbye; the socket is closed afterwards.
  func close(now: Instant)
}

/// Many bots on one thread.
///
/// With `rest`, and with no bot in haste, the thread sleeps that long between two looks at its sockets, in place of waiting for
/// them: a receiver that waits makes the sender of each packet wake it, and on one machine that would be counted as the
/// server's work.
final class BotLoop: Sendable {
  typealias Command = @Sendable (BotCrew) -> Void

  private let inbox = Mutex<[Command]>([])
  private let wakeup: Int32

  /// - Parameter rest: microseconds; 0 looks at once.
  init(name: String, rest: Int64) throws(FanoutError) {
    let epoll = linux_epoll_create()
    wakeup = linux_eventfd()
    guard epoll >= 0, wakeup >= 0, linux_epoll_add(epoll, wakeup, 0) == 0 else {
      throw .system("no epoll: \(String(cString: strerror(errno)))")
    }
    let thread = Thread { [self] in
      linux_thread_name(name)
      BotCrew(epoll: epoll, rest: rest).run(wakeup: wakeup) { takeInbox() }
      close(epoll)
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Not with the thread: who posts too late must not wake somebody else's descriptor of the same number.
  deinit { close(wakeup) }

  /// Runs `command` on the loop's thread, after those posted before it.
  func post(_ command: @escaping Command) {
    let wasEmpty = inbox.withLock { inbox in
      inbox.append(command)
      return inbox.count == 1
    }
    if wasEmpty { linux_eventfd_signal(wakeup) }
  }

  /// Runs `body` on the loop's thread and gives its result.
  func run<Result: Sendable>(_ body: @escaping @Sendable (BotCrew) -> Result) async -> Result {
    await withCheckedContinuation { waiter in
      post { waiter.resume(returning: body($0)) }
    }
  }

  /// Closes all bots and ends the thread; what is posted afterwards is never run.
  func stop() async { await run { $0.stop() } }

  private func takeInbox() -> [Command] {
    inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
  }
}

/// What a bot loop's thread owns; never leaves it.
final class BotCrew {
  private static let batch = 32
  private static let space = 2048
  /// Between two looks at the deadlines of all bots, microseconds.
  private static let tick: Int64 = 2000

  private let epoll: Int32
  private let rest: Int64
  /// A place is its socket's number in the epoll, less one; those who left leave theirs to the next.
  private var places: [(any LoopBot)?] = []
  private var isStopped = false
  private let slab: UnsafeMutablePointer<UInt8>
  private let datagrams: UnsafeMutablePointer<linux_datagram>

  init(epoll: Int32, rest: Int64) {
    self.epoll = epoll
    self.rest = rest
    slab = .allocate(capacity: Self.batch * Self.space)
    datagrams = .allocate(capacity: Self.batch)
    datagrams.initialize(repeating: linux_datagram(), count: Self.batch)
    for index in 0..<Self.batch {
      datagrams[index].data = slab + index * Self.space
      datagrams[index].capacity = UInt32(Self.space)
    }
  }

  deinit {
    slab.deallocate()
    datagrams.deallocate()
  }

  static var now: Instant { Instant(microseconds: linux_now_us()) }

  var bots: [any LoopBot] { places.compactMap { $0 } }

  /// False where the kernel refuses.
  func add(_ bot: any LoopBot) -> Bool {
    let place = places.firstIndex { $0 == nil } ?? places.count
    guard linux_epoll_add(epoll, bot.socket.descriptor, UInt64(place + 1)) == 0 else { return false }
    if place == places.count { places.append(bot) } else { places[place] = bot }
    return true
  }

  /// Closes one bot.
  func remove(_ bot: any LoopBot) {
    guard let place = places.firstIndex(where: { $0 === bot }) else { return }
    places[place] = nil
    bot.close(now: Self.now)
    bot.socket.close()
  }

  func stop() {
    let now = Self.now
    for bot in bots {
      bot.close(now: now)
      bot.socket.close()
    }
    places = []
    isStopped = true
  }

  fileprivate func run(wakeup: Int32, inbox: () -> [BotLoop.Command]) {
    var tags = [UInt64](repeating: 0, count: 16)
    var nextTick = Self.now
    while !isStopped {
      let isResting = rest > 0 && !places.contains { $0?.isInHaste == true }
      if isResting { usleep(UInt32(rest)) }
      var wait = isResting ? 0 : max(0, min(nextDeadline, nextTick) - Self.now)
      // One call tells of sixteen sockets at most.
      while !isStopped {
        let count = Int(linux_epoll_wait(epoll, &tags, Int32(tags.count), wait))
        for tag in tags.prefix(max(0, count)) {
          if tag == 0 {
            linux_eventfd_drain(wakeup)
            for command in inbox() { command(self) }
          } else if tag <= UInt64(places.count), let bot = places[Int(tag) - 1] {
            read(bot)
          }
        }
        if count < tags.count || Self.now >= nextTick { break }
        wait = 0
      }
      let now = Self.now
      if rest == 0 || now >= nextTick {
        nextTick = now.advanced(microseconds: Self.tick)
        for case let bot? in places {
          if let deadline = bot.deadline, deadline <= now { bot.advance(to: now) }
        }
      }
    }
  }

  /// A loop that rests is no more exact than its tick, and spared the search.
  private var nextDeadline: Instant {
    guard rest == 0 else { return Instant(microseconds: .max) }
    return places.lazy.compactMap { $0?.deadline }.min() ?? Instant(microseconds: .max)
  }

  private func read(_ bot: any LoopBot) {
    // Two rounds at most, so that one busy socket does not starve the others.
    for _ in 0..<2 {
      let count = Int(linux_receive(bot.socket.descriptor, datagrams, Int32(Self.batch)))
      let now = Self.now
      for index in 0..<max(0, count) {
        let from = withUnsafePointer(to: datagrams[index].address) { TransportAddress($0) }
        guard let from, let data = datagrams[index].data else { continue }
        bot.receive(UnsafeMutableRawBufferPointer(start: data, count: Int(datagrams[index].length)), from: from, now: now)
      }
      if count < Self.batch { return }
    }
  }
}

extension UDPSocket {
  /// Sends one datagram; what the kernel does not take is lost, as on any network.
  func send(_ bytes: [UInt8], to address: TransportAddress) {
    var datagram = linux_datagram()
    self.address(&datagram, to: address)
    var bytes = bytes
    bytes.withUnsafeMutableBufferPointer {
      datagram.data = $0.baseAddress
      datagram.capacity = UInt32($0.count)
      _ = linux_send(descriptor, &datagram, 1)
    }
  }

  /// The port that the kernel chose; 0 where it does not tell.
  var port: UInt16 {
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? TransportAddress(&bound)?.port ?? 0 : 0
  }
}
