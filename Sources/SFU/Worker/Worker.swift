import CLinux
import Glibc
import Synchronization
import WebRTC

/// One media worker as the other threads see it: its mailbox, its sockets' addresses and its load.
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

  /// Ends the thread and waits for it; does nothing the second time. Never called by the worker's own thread.
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

/// What a worker is made with.
struct WorkerSetup: Sendable {
  var number: Int
  /// The addresses to bind, with the port; 0 lets the kernel choose one for all.
  var bind: [TransportAddress]
  /// Whether to listen on TCP too.
  var tcp: Bool
  /// Whether several packets may leave as one message that the kernel cuts.
  var segments: Bool
  var certificate: Certificate
  var limits: MediaLimits
  /// The core to stay on; nil where there are fewer cores than workers.
  var core: Int?
}

/// How much a worker has to do: written by its loop, read by whoever places rooms.
final class WorkerLoad: Sendable {
  let rooms = Atomic<Int>(0)
  let transports = Atomic<Int>(0)
  let subscriptions = Atomic<Int>(0)

  /// Packets sent are nearly all of the work, and they go with subscriptions; an empty room counts for what it will become.
  var score: Int {
    subscriptions.load(ordering: .relaxed) &* 4 &+ transports.load(ordering: .relaxed) &* 2 &+ rooms.load(ordering: .relaxed)
  }
}

/// What the new thread is given.
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
    // Made here, so that nothing of the loop is ever seen by another thread.
    let loop = WorkerLoop(mailbox: mailbox, sockets: sockets, load: load, setup: setup)
    loop.run()
  }
}
