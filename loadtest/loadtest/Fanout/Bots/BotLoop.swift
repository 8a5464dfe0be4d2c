import RoomCLinux
import Foundation
import Glibc
import RoomRTP
import RoomClient
import RoomWebRTC

/// A bot on a loop's thread: a socket and a sans-I/O protocol on it.
protocol LoopBot: AnyObject {
  var socket: UDPSocket { get }
  /// When `advance` is due; nil if no timer is set.
  var deadline: Instant? { get }
  /// Whether incoming packets have to be answered at once.
  var isInHaste: Bool { get }
  func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant)
  func advance(to now: Instant)
  /// Ends the session; the socket is closed afterwards.
  func close(now: Instant)
}

/// Runs many bots on one thread.
///
/// If `rest` is set and no bot is in haste, the thread sleeps that long between two polls of its sockets instead of waiting on
/// them: the sender of each packet has to wake a waiting receiver, and on one machine that would count as the server's work.
final class BotLoop: LoopThread {
  private let inbox = LoopInbox<BotSet>()
  private let wakeup: Int32

  /// - Parameter rest: microseconds between two polls; 0 does not sleep.
  init(name: String, rest: Int64) throws(LoadtestError) {
    let epoll = linux_epoll_create()
    wakeup = linux_eventfd()
    guard epoll >= 0, wakeup >= 0, linux_epoll_add(epoll, wakeup, 0) == 0 else {
      throw .system("epoll failed: \(String(cString: strerror(errno)))")
    }
    let thread = Thread { [self] in
      linux_thread_name(name)
      BotSet(epoll: epoll, rest: rest).run(wakeup: wakeup, inbox)
      close(epoll)
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Not closed by the thread: a late `post` could write to another file with the same descriptor.
  deinit { close(wakeup) }

  func post(_ command: @escaping @Sendable (BotSet) -> Void) {
    if inbox.add(command) { linux_eventfd_signal(wakeup) }
  }
}

/// The state of a loop's thread; never leaves it.
final class BotSet: LoopCrew {
  private static let batch = 32
  private static let space = 2048
  /// Interval at which all bots' deadlines are checked, in microseconds.
  private static let tick: Int64 = 2000

  private let epoll: Int32
  private let rest: Int64
  /// Bots by their socket's number in the epoll minus one; slots of removed bots are reused.
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

  /// Adds a bot. Returns false if the kernel refuses.
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

  fileprivate func run(wakeup: Int32, _ inbox: LoopInbox<BotSet>) {
    var tags = [UInt64](repeating: 0, count: 16)
    var nextTick = Self.now
    while !isStopped {
      let isResting = rest > 0 && !places.contains { $0?.isInHaste == true }
      if isResting { usleep(UInt32(rest)) }
      var wait = isResting ? 0 : max(0, min(nextDeadline, nextTick) - Self.now)
      // One call reports at most sixteen sockets.
      while !isStopped {
        let count = Int(linux_epoll_wait(epoll, &tags, Int32(tags.count), wait))
        for tag in tags.prefix(max(0, count)) {
          if tag == 0 {
            linux_eventfd_drain(wakeup)
            for command in inbox.take() { command(self) }
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

  /// A loop that sleeps is only as exact as its tick, so it skips the search for the next deadline.
  private var nextDeadline: Instant {
    guard rest == 0 else { return Instant(microseconds: .max) }
    return places.lazy.compactMap { $0?.deadline }.min() ?? Instant(microseconds: .max)
  }

  private func read(_ bot: any LoopBot) {
    // At most two rounds, so that one busy socket does not starve the others.
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
  /// Sends one datagram. What the kernel does not accept is lost, as on any network.
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

  /// The port assigned by the kernel; 0 if it can't be read.
  var port: UInt16 {
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? TransportAddress(&bound)?.port ?? 0 : 0
  }
}
