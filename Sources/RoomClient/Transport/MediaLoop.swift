import RoomCLinux
import Foundation
import Glibc
import RoomRTP
import RoomWebRTC
import Synchronization

/// A thread that moves the packets of many rooms: an epoll loop over the sockets of each media transport.
///
/// Everything it runs is sans-I/O and confined to it; other code uses `post`. A process has only a few loops for any number of
/// rooms, because a program of bots has hundreds of rooms.
final class MediaLoop: Sendable {
  /// The loops of the process, each started on first use.
  private static let pool = Mutex((loops: [MediaLoop](), next: 0))

  /// Returns the loop for the next room, in rotation.
  static func next() throws(RoomClientError) -> MediaLoop {
    let width = min(max(Int(linux_cpu_count()), 1), 4)
    let loop = pool.withLock { pool -> MediaLoop? in
      let index = pool.next % width
      if index >= pool.loops.count {
        guard let new = MediaLoop(number: index) else { return nil }
        pool.loops.append(new)
      }
      pool.next &+= 1
      return pool.loops[index]
    }
    guard let loop else { throw .mediaFailed("no epoll: \(errorText())") }
    return loop
  }

  typealias Command = @Sendable (MediaLoopThread) -> Void

  private let inbox = Mutex([Command]())
  private let wakeup: Int32

  private init?(number: Int) {
    let epoll = linux_epoll_create()
    wakeup = linux_eventfd()
    guard epoll >= 0, wakeup >= 0, linux_epoll_add(epoll, wakeup, 0) == 0 else {
      if epoll >= 0 { close(epoll) }
      if wakeup >= 0 { close(wakeup) }
      return nil
    }
    let thread = Thread { [self] in
      linux_thread_name("media-\(number)")
      MediaLoopThread(epoll: epoll, wakeup: wakeup, inbox: { self.takeInbox() }).run()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Runs `command` on the loop's thread, after the commands posted before.
  func post(_ command: @escaping Command) {
    let wasEmpty = inbox.withLock { inbox in
      inbox.append(command)
      return inbox.count == 1
    }
    if wasEmpty { linux_eventfd_signal(wakeup) }
  }

  private func takeInbox() -> [Command] {
    inbox.withLock { inbox in
      let taken = inbox
      inbox = []
      return taken
    }
  }

  static func errorText() -> String { String(cString: strerror(errno)) }
}

/// The state of the loop's thread. The state never leaves the thread.
final class MediaLoopThread {
  private static let batch = 32
  /// More than any WebRTC datagram, which is below 1500 bytes.
  private static let space = 2048

  let epoll: Int32
  private let wakeup: Int32
  private let inbox: () -> [MediaLoop.Command]
  private var channels: [UInt64: MediaChannel] = [:]
  private let slab: UnsafeMutablePointer<UInt8>
  private let datagrams: UnsafeMutablePointer<linux_datagram>

  init(epoll: Int32, wakeup: Int32, inbox: @escaping () -> [MediaLoop.Command]) {
    self.epoll = epoll
    self.wakeup = wakeup
    self.inbox = inbox
    slab = .allocate(capacity: Self.batch * Self.space)
    datagrams = .allocate(capacity: Self.batch)
    datagrams.initialize(repeating: linux_datagram(), count: Self.batch)
  }

  deinit {
    slab.deallocate()
    datagrams.deallocate()
  }

  var now: Instant { Instant(microseconds: linux_now_us()) }

  func add(_ channel: MediaChannel, id: UInt64) { channels[id] = channel }
  func channel(_ id: UInt64) -> MediaChannel? { channels[id] }

  func remove(_ id: UInt64) {
    guard let channel = channels.removeValue(forKey: id) else { return }
    channel.close(now: now)
  }

  func run() {
    var tags = [UInt64](repeating: 0, count: 16)
    while true {
      let count = Int(linux_epoll_wait(epoll, &tags, Int32(tags.count), waitingTime()))
      if count < 0 {
        // Only a broken descriptor causes this; a short pause prevents a busy loop.
        usleep(10_000)
        continue
      }
      for tag in tags.prefix(count) {
        if tag == 0 {
          linux_eventfd_drain(wakeup)
          for command in inbox() { command(self) }
        } else if let channel = channels[tag & (1 << MediaChannel.streamShift - 1)] {
          let stream = UInt16(truncatingIfNeeded: tag >> MediaChannel.streamShift)
          if stream == 0 {
            read(channel)
          } else {
            channel.streamReady(
              stream, slab: UnsafeMutableRawBufferPointer(start: slab, count: Self.batch * Self.space), now: now)
          }
        }
      }
      let now = now
      for channel in channels.values where channel.isDue(now) { channel.advance(to: now) }
    }
  }

  /// Returns the number of microseconds until the first deadline, or −1 without one.
  private func waitingTime() -> Int64 {
    var first = Int64.max
    for channel in channels.values {
      if let deadline = channel.deadline { first = min(first, deadline.microseconds) }
    }
    guard first < Int64.max else { return -1 }
    return max(0, first - linux_now_us())
  }

  private func read(_ channel: MediaChannel) {
    // At most two rounds, so that one busy socket does not starve the others.
    for _ in 0..<2 {
      for index in 0..<Self.batch {
        datagrams[index].data = slab + index * Self.space
        datagrams[index].capacity = UInt32(Self.space)
        datagrams[index].address_length = UInt32(MemoryLayout<sockaddr_storage>.size)
      }
      let count = Int(linux_receive(channel.socket, datagrams, Int32(Self.batch)))
      if count < 0 { return channel.socketFailed(now: now) }
      let now = now
      for index in 0..<count {
        let datagram = datagrams[index]
        let from = withUnsafePointer(to: datagram.address) { TransportAddress($0) }
        guard let from, let data = datagram.data else { continue }
        channel.receive(UnsafeMutableRawBufferPointer(start: data, count: Int(datagram.length)), from: from, now: now)
      }
      if count < Self.batch { return }
    }
  }
}
