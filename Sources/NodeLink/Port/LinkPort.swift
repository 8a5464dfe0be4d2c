import RoomCLinux
import Glibc
import Synchronization

/// The UDP port of a node for its links to all other nodes, with one thread.
///
/// The thread seals and sends what the sources of its links have, and writes what arrives to their sinks. Any thread may call the
/// methods here and those of ``OpenLink``; none blocks, except ``stop()``.
public final class LinkPort: Sendable {
  /// The bound address, with the port number that the kernel chose if 0 was requested.
  public let address: NodeAddress
  private let mailbox: LinkMailbox
  private let socket: Int32
  private let thread = Mutex<pthread_t?>(nil)
  private let figures: PortFigures

  /// Opens the port and starts its thread.
  /// - Parameters:
  ///   - bind: the local address.
  ///   - segments: whether the kernel may segment messages of several datagrams (UDP GSO).
  /// - Throws: ``LinkError/system(call:code:)``.
  public init(bind: NodeAddress, segments: Bool = true) throws(LinkError) {
    mailbox = try LinkMailbox()
    figures = PortFigures()
    // At 1 Gbit/s it covers a stall of 30 ms.
    let socket = bind.withAddress { linux_udp_socket($0, $1, 4 << 20) }
    guard socket >= 0 else { throw .system(call: "bind", code: errno) }
    self.socket = socket
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let named = withUnsafeMutablePointer(to: &bound) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard named == 0, let address = NodeAddress(&bound, length: length) else {
      let code = errno
      _ = close(socket)
      throw .system(call: "getsockname", code: code)
    }
    self.address = address
    let start = LinkThread(mailbox: mailbox, socket: socket, segments: segments, figures: figures)
    let retained = Unmanaged.passRetained(start)
    var handle = pthread_t()
    let result = pthread_create(
      &handle, nil,
      { argument in
        if let argument { Unmanaged<LinkThread>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, retained.toOpaque())
    guard result == 0 else {
      retained.release()
      _ = close(socket)
      throw .system(call: "pthread_create", code: result)
    }
    let started = handle
    thread.withLock { $0 = started }
  }

  deinit {
    stop()
    _ = close(socket)
  }

  /// Opens a link to another node. It replaces the link to that address, if there is one.
  /// - Parameters:
  ///   - address: where the other node's port is bound, as its datagrams show it.
  ///   - onEvent: called on the port's thread; it must not block.
  /// - Throws: ``LinkError/stopped``.
  public func open(
    to address: NodeAddress, _ keys: LinkKeys, options: LinkOptions = LinkOptions(),
    onEvent: @escaping @Sendable (LinkEvent) -> Void
  ) throws(LinkError) -> OpenLink {
    let link = OpenLink(mailbox: mailbox)
    guard mailbox.post(.open(link, address, keys, options, onEvent)) else { throw .stopped }
    return link
  }

  /// Wakes the thread to read the sources.
  public func wake() { mailbox.wake() }

  /// The eventfd that ``wake()`` writes to, for callers that wake others by a descriptor. Valid as long as the port.
  public var wakeDescriptor: Int32 { mailbox.wakeDescriptor }

  /// Figures of the port, at most 100 ms old.
  public var counters: PortCounters { figures.counters.withLock { $0 } }

  /// Ends the thread and waits for it; the links end. A second call does nothing. Never called on the port's own thread.
  public func stop() {
    let handle = thread.withLock { handle in
      defer { handle = nil }
      return handle
    }
    guard let handle else { return }
    mailbox.post(.stop)
    pthread_join(handle, nil)
  }
}

/// Totals of a port.
public struct PortCounters: Hashable, Sendable {
  public var datagramsSent: UInt64 = 0
  /// Messages that carried them: fewer, if the kernel segments.
  public var messagesSent: UInt64 = 0
  /// Datagrams dropped because the socket's buffer was full, and those that could not be sent.
  public var socketFull: UInt64 = 0
  public var sendFailed: UInt64 = 0
  public var datagramsReceived: UInt64 = 0
  /// Datagrams from addresses without a link.
  public var unknownAddress: UInt64 = 0
  /// Records of streams without a sink.
  public var unknownStream: UInt64 = 0
  public var links = 0
  /// Links that could not be opened: too many, keys in use by another link, or libcrypto failed. Their owner gets ``LinkEvent/dead``.
  public var linksRefused: UInt64 = 0
  /// The CPU time of the thread in microseconds.
  public var cpuMicroseconds: Int64 = 0
}

/// The newest counters of a port. Its thread writes them.
final class PortFigures: Sendable {
  let counters = Mutex(PortCounters())
}

/// A link that was opened.
public final class OpenLink: Sendable {
  /// What a link measures and counts.
  public struct Status: Sendable {
    public var liveness = LinkLiveness.waiting
    public var estimate = LinkEstimate()
    public var adaptation = LinkAdaptation()
    public var counters = LinkCounters()
  }

  private let mailbox: LinkMailbox
  private let newest = Mutex(Status())

  init(mailbox: LinkMailbox) { self.mailbox = mailbox }

  /// Sends a source's records as a stream, and informs the other node that the stream is being sent.
  public func send(_ source: any LinkSource, as stream: UInt32) { mailbox.post(.send(source, stream: stream, self)) }

  /// Ends a stream. Records that the source still has are not sent.
  public func stopSending(_ stream: UInt32) { mailbox.post(.stopSending(stream: stream, self)) }

  /// Writes a stream's records to a sink, and asks the other node for what the sink wants.
  public func receive(_ stream: UInt32, into sink: any LinkSink) { mailbox.post(.receive(sink, stream: stream, self)) }

  /// Closes a stream. The other node is informed; ``LinkEvent/closed(stream:)`` follows when it knows.
  public func stopReceiving(_ stream: UInt32) { mailbox.post(.stopReceiving(stream: stream, self)) }

  /// Ends the link. The other node notices by silence, or at once when the link is opened again.
  public func close() { mailbox.post(.close(self)) }

  /// The link's figures, at most 100 ms old.
  public var status: Status { newest.withLock { $0 } }

  func publish(_ status: Status) { newest.withLock { $0 = status } }
}
