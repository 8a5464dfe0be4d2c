import RoomCLinux
import Foundation
import RoomRTP

/// A bot on a loop's thread: a TCP connection and the protocol on it.
protocol TCPBot: AnyObject {
  var socket: TCPSocket { get }
  /// Whether the next data is timed.
  var isInHaste: Bool { get }
  /// Whether data is pending that the socket had no room for.
  var hasUnsent: Bool { get }
  /// The reason why it stopped receiving.
  var failure: String? { get }
  /// Sends pending data as far as the socket accepts it.
  func send()
  /// Reads available data, at most `space.count` bytes.
  func read(into space: UnsafeMutableRawBufferPointer, now: Instant)
}

/// Runs many bots on one thread.
///
/// The thread sleeps between two polls of its sockets instead of waiting on them: the sender of each message has to wake a
/// waiting receiver, and on one machine that would count as the server's work. Times measured here are therefore too long by
/// half the sleep.
final class TCPLoop: LoopThread {
  private let inbox = LoopInbox<TCPBotSet>()

  init(name: String) throws(LoadtestError) {
    let epoll = linux_epoll_create()
    guard epoll >= 0 else { throw .system("epoll failed: \(String(cString: strerror(errno)))") }
    let thread = Thread { [self] in
      linux_thread_name(name)
      TCPBotSet(epoll: epoll).run(inbox)
      close(epoll)
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  func post(_ command: @escaping @Sendable (TCPBotSet) -> Void) { inbox.add(command) }
}

/// The state of a loop's thread; never leaves it.
final class TCPBotSet: LoopCrew {
  /// Sleep in microseconds while a bot is in haste, and while none is: far below a frame's duration.
  private static let hastyRest: UInt32 = 1000
  private static let rest: UInt32 = 5000
  private static let space = 256 << 10

  private let epoll: Int32
  /// Bots by their socket's number in the epoll; removed bots leave an empty slot.
  private var places: [(any TCPBot)?] = []
  private var isStopped = false
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: space, alignment: 16)
  private var tags = [UInt64](repeating: 0, count: 16)

  init(epoll: Int32) { self.epoll = epoll }

  deinit { memory.deallocate() }

  static var now: Instant { Instant(microseconds: linux_now_us()) }

  var bots: [any TCPBot] { places.compactMap { $0 } }
  var viewers: [ViewerBot] { places.compactMap { $0 as? ViewerBot } }

  /// Adds a bot, which then connects by itself. Returns false if the kernel refuses.
  func add(_ bot: any TCPBot) -> Bool {
    guard linux_epoll_add(epoll, bot.socket.descriptor, UInt64(places.count)) == 0 else { return false }
    places.append(bot)
    return true
  }

  /// Closes one bot's connection.
  func remove(_ bot: any TCPBot) {
    guard let place = places.firstIndex(where: { $0 === bot }) else { return }
    places[place] = nil
    bot.socket.close()
  }

  func stop() {
    for bot in bots { bot.socket.close() }
    places = []
    isStopped = true
  }

  fileprivate func run(_ inbox: LoopInbox<TCPBotSet>) {
    while !isStopped {
      usleep(places.contains { $0?.isInHaste == true } ? Self.hastyRest : Self.rest)
      for command in inbox.take() { command(self) }
      look()
      for case let bot? in places where bot.isInHaste || bot.hasUnsent { bot.send() }
    }
  }

  /// Reads once from each readable socket.
  private func look() {
    // One call reports at most sixteen sockets; the next call reports those that have waited longest.
    var left = places.count
    while left > 0, !isStopped {
      let count = Int(linux_epoll_wait(epoll, &tags, Int32(tags.count), 0))
      guard count > 0 else { return }
      let now = Self.now
      for tag in tags.prefix(count) where tag < UInt64(places.count) {
        if let bot = places[Int(tag)] { read(bot, now) }
      }
      left -= count
      if count < tags.count { return }
    }
  }

  private func read(_ bot: any TCPBot, _ now: Instant) {
    bot.read(into: memory, now: now)
    // A level-triggered epoll would report a closed connection forever.
    if bot.failure != nil { _ = linux_epoll_remove(epoll, bot.socket.descriptor) }
  }
}
