import RoomCLinux
import Glibc
import Synchronization
import RoomWebRTC

/// A media worker's interface for other threads: its mailbox, its sockets' addresses and its load.
final class Worker: Sendable {
  let mailbox: Mailbox
  let sockets: MediaSockets
  let load = WorkerLoad()
  private let setup: WorkerSetup
  private let thread = Locked<pthread_t?>(nil)

  init(_ setup: WorkerSetup) throws(MediaPlaneError) {
    self.setup = setup
    mailbox = try Mailbox()
    sockets = try MediaSockets(bind: setup.bind, tcp: setup.tcp)
  }

  deinit {
    stop()
    sockets.close()
  }

  func start() throws(MediaPlaneError) {
    let context = ThreadContext(mailbox: mailbox, sockets: sockets, load: load, setup: setup)
    let retained = Unmanaged.passRetained(context)
    var handle = pthread_t()
    let result = pthread_create(
      &handle, nil,
      { argument in
        if let argument { Unmanaged<ThreadContext>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, retained.toOpaque())
    guard result == 0 else {
      retained.release()
      throw .thread(reason: String(cString: strerror(result)))
    }
    let started = handle
    thread.withLock { $0 = started }
  }

  /// Ends the thread and waits for it. A second call does nothing. Never called on the worker's own thread.
  func stop() {
    let handle = thread.withLock { handle in
      defer { handle = nil }
      return handle
    }
    guard let handle else { return }
    mailbox.post(.stop)
    pthread_join(handle, nil)
  }
}

/// The options of a worker.
struct WorkerSetup: Sendable {
  var number: Int
  /// The addresses to bind, with the port; 0 lets the kernel choose one for all.
  var bind: [TransportAddress]
  /// Whether to listen on TCP too.
  var tcp: Bool
  /// Whether to send several packets as one message that the kernel segments.
  var segments: Bool
  var certificate: Certificate
  var limits: MediaLimits
  /// Until when the worker may send; nil for always.
  var authority: SendingAuthority?
  /// The core to pin the thread to; nil if there are fewer cores than workers.
  var core: Int?
}

/// The load of a worker. Its loop writes it; the choice of a room's worker reads it.
final class WorkerLoad: Sendable {
  let rooms = Atomic<Int>(0)
  let transports = Atomic<Int>(0)
  let subscriptions = Atomic<Int>(0)
  /// The share of the last second that the thread was running, in percent.
  let busy = Atomic<Int>(0)

  /// The load at one moment.
  struct Reading {
    var score: Int
    /// As ``WorkerLoad/busy``.
    var busy = 0
  }

  var reading: Reading { Reading(score: score, busy: busy.load(ordering: .relaxed)) }

  /// Sent packets are nearly all of the work, and grow with subscriptions. An empty room counts for its expected load.
  var score: Int {
    subscriptions.load(ordering: .relaxed) &* 4 &+ transports.load(ordering: .relaxed) &* 2 &+ rooms.load(ordering: .relaxed)
  }
}

/// The new thread's argument.
private final class ThreadContext: Sendable {
  let mailbox: Mailbox
  let sockets: MediaSockets
  let load: WorkerLoad
  let setup: WorkerSetup

  init(mailbox: Mailbox, sockets: MediaSockets, load: WorkerLoad, setup: WorkerSetup) {
    self.mailbox = mailbox
    self.sockets = sockets
    self.load = load
    self.setup = setup
  }

  func run() {
    linux_thread_name("media-\(setup.number)")
    if let core = setup.core { _ = linux_thread_pin(Int32(core)) }
    // Created here, so that no other thread ever sees any part of the loop.
    let loop = WorkerLoop(mailbox: mailbox, sockets: sockets, load: load, setup: setup)
    loop.run()
  }
}
