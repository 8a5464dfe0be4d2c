import CLinux
import Foundation
import RTP
import Synchronization

/// Many viewers on one thread.
///
/// The thread sleeps between two looks at its sockets, in place of waiting for them: a receiver that waits makes the sender of each
/// message wake it, and on one machine that would be counted as the server's work. So a time that is measured here is too long by
/// half a rest.
final class ViewerLoop: Sendable {
  typealias Command = @Sendable (ViewerCrowd) -> Void

  private let inbox = Mutex<[Command]>([])

  init(name: String) throws(FanoutError) {
    let epoll = linux_epoll_create()
    guard epoll >= 0 else { throw .system("no epoll: \(String(cString: strerror(errno)))") }
    let thread = Thread { [self] in
      linux_thread_name(name)
      ViewerCrowd(epoll: epoll).run { self.takeInbox() }
      close(epoll)
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Runs `command` on the loop's thread, after those posted before it.
  func post(_ command: @escaping Command) { inbox.withLock { $0.append(command) } }

  /// Runs `body` on the loop's thread and gives its result.
  func run<Result: Sendable>(_ body: @escaping @Sendable (ViewerCrowd) -> Result) async -> Result {
    await withCheckedContinuation { waiter in
      post { waiter.resume(returning: body($0)) }
    }
  }

  /// Closes all connections and ends the thread; nothing may be posted afterwards.
  func stop() async { await run { $0.stop() } }

  private func takeInbox() -> [Command] {
    inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
  }
}

/// What a viewer loop's thread owns; never leaves it.
final class ViewerCrowd {
  /// Microseconds of sleep while somebody's first picture is awaited, and while all have theirs: far below a frame's time.
  private static let hastyRest: UInt32 = 1000
  private static let rest: UInt32 = 5000
  private static let space = 256 << 10

  private let epoll: Int32
  private(set) var viewers: [ViewerBot] = []
  private var isStopped = false
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: space, alignment: 16)
  private var tags = [UInt64](repeating: 0, count: 16)

  init(epoll: Int32) { self.epoll = epoll }

  deinit { memory.deallocate() }

  static var now: Instant { Instant(microseconds: linux_now_us()) }

  /// Adds a viewer, which then connects by itself; false where the kernel refuses.
  func add(_ viewer: ViewerBot) -> Bool {
    guard linux_epoll_add(epoll, viewer.socket.descriptor, UInt64(viewers.count)) == 0 else { return false }
    viewers.append(viewer)
    return true
  }

  func stop() {
    for viewer in viewers { viewer.socket.close() }
    viewers = []
    isStopped = true
  }

  fileprivate func run(_ inbox: () -> [ViewerLoop.Command]) {
    while !isStopped {
      usleep(viewers.contains { $0.isInHaste } ? Self.hastyRest : Self.rest)
      for command in inbox() { command(self) }
      look()
      for viewer in viewers where viewer.isInHaste || viewer.hasUnsent { viewer.send() }
    }
  }

  /// Reads once from each socket that has something.
  private func look() {
    // One call tells of sixteen sockets at most, and of those next that wait longest.
    var left = viewers.count
    while left > 0, !isStopped {
      let count = Int(linux_epoll_wait(epoll, &tags, Int32(tags.count), 0))
      guard count > 0 else { return }
      let now = Self.now
      for tag in tags.prefix(count) where tag < UInt64(viewers.count) { read(viewers[Int(tag)], now) }
      left -= count
      if count < tags.count { return }
    }
  }

  private func read(_ viewer: ViewerBot, _ now: Instant) {
    viewer.read(into: memory, now: now)
    // What is level-triggered would tell of a closed connection for ever.
    if viewer.failure != nil { _ = linux_epoll_remove(epoll, viewer.socket.descriptor) }
  }
}
