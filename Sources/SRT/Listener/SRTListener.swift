import Foundation
import RoomCSRT
import Synchronization

/// What a caller asks for, before its connection exists.
public struct SRTRequest: Sendable, Hashable {
  /// The text of the stream id.
  public var streamID: String
  /// The caller's numeric address.
  public var host: String
}

/// A connection that a listener has accepted.
public final class SRTConnection: Sendable {
  public let request: SRTRequest
  let socket: SRTSocket

  init(_ socket: SRTSocket, _ request: SRTRequest) {
    self.socket = socket
    self.request = request
  }

  /// Closes the connection, from any thread.
  public func close() { socket.close() }

  public var statistics: SRTStatistics { socket.statistics }

  /// The bytes of a message at most: seven packets of a transport stream.
  public static let messageLength = SRTSocket.payloadLength
  /// Bytes that were sent and not yet acknowledged.
  public var unacknowledged: Int { socket.unacknowledged }
  /// How long the other side waits before it delivers a packet, in milliseconds.
  public var latency: Int { socket.peerLatency }

  /// Sends a message, without waiting. Returns false if the library has no room for it, or the connection is closed.
  public func send(_ message: ArraySlice<UInt8>) -> Bool {
    message.withUnsafeBytes { bytes in
      srt_sendmsg(socket.id, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), -1, 1) > 0
    }
  }
}

/// The owner of a listener's connections. All functions are called on the listener's thread, except `decide`, which is called on a
/// thread of the library, and must return at once: the media of other connections waits meanwhile.
public protocol SRTAudience: AnyObject, Sendable {
  /// Returns why a caller is refused, or nil if it may connect.
  func decide(_ request: SRTRequest) -> SRTRejection?
  func opened(_ connection: SRTConnection)
  func received(_ bytes: UnsafeRawBufferPointer, from connection: SRTConnection)
  func closed(_ connection: SRTConnection)
  /// Called about five times a second.
  func advance()
  /// Sends to those who receive. Called a hundred times a second as long as there is anybody: returns whether there is.
  func pump() -> Bool
}

/// A UDP port that accepts SRT connections and receives from them, on a thread of its own.
public final class SRTListener: Sendable {
  /// The settings of a listener.
  public struct Options: Sendable {
    /// The secret of the encryption, 10…79 bytes; with one, callers without it are refused.
    public var passphrase: String?
    /// How long a missing packet is waited for, in milliseconds.
    public var latency: Int
    public init(passphrase: String? = nil, latency: Int = 120) { (self.passphrase, self.latency) = (passphrase, latency) }
  }

  /// The messages that are read from one connection in a row.
  private static let turn = 64
  /// The interval between two checks of the connections.
  private static let interval = DispatchTimeInterval.milliseconds(200)
  /// The interval between two calls that send, in milliseconds.
  private static let step = 10
  /// The bytes that a connection may buffer in the library.
  private static let buffer = 4 << 20

  /// The UDP port.
  public let port: UInt16
  private let socket: SRTSocket
  private let audience: any SRTAudience
  private let isStopped = Atomic(false)
  private let hook: Hook

  /// Begins to listen.
  /// - Throws: ``SRTFailure/unusable(_:)`` if the address or an option cannot be used.
  public init(host: String, port: UInt16, options: Options = .init(), audience: any SRTAudience) throws(SRTFailure) {
    let socket = try SRTSocket()
    socket.set(SRTO_RCVLATENCY, options.latency)
    socket.set(SRTO_RCVBUF, Self.buffer)
    socket.set(SRTO_FC, 4096)
    socket.set(SRTO_RCVSYN, isOn: false)
    if let passphrase = options.passphrase { try socket.set(SRTO_PASSPHRASE, passphrase) }
    let bound = SocketName.with(host, port) { srt_bind(socket.id, $0, $1) }
    guard let bound else { throw .unusable("\(host) is not a numeric address") }
    let hook = Hook(audience)
    guard bound != SRT_ERROR, hook.install(on: socket), srt_listen(socket.id, 128) != SRT_ERROR else {
      throw .unusable(SRTSocket.lastError)
    }
    self.port = Self.port(of: socket) ?? port
    self.socket = socket
    self.audience = audience
    self.hook = hook
  }

  private static func port(of socket: SRTSocket) -> UInt16? {
    var name = sockaddr_in6()
    var length = Int32(MemoryLayout<sockaddr_in6>.size)
    let status = withUnsafeMutableBytes(of: &name) { bytes in
      bytes.baseAddress.map { srt_getsockname(socket.id, $0.assumingMemoryBound(to: sockaddr.self), &length) } ?? SRT_ERROR
    }
    // Both families have the port at the same offset.
    return status == SRT_ERROR ? nil : UInt16(bigEndian: name.sin6_port)
  }

  /// Accepts and receives until ``stop()``. Blocks: call it on a thread of its own.
  public func run() {
    let poll = srt_epoll_create()
    defer { srt_epoll_release(poll) }
    Self.watch(socket, poll)
    var connections: [SRTSOCKET: SRTConnection] = [:]
    var events = [SRT_EPOLL_EVENT](repeating: SRT_EPOLL_EVENT(), count: 64)
    var buffer = [UInt8](repeating: 0, count: 1500)
    var due = DispatchTime.now()
    var sendsAt = due
    var isSending = false
    while !isStopped.load(ordering: .acquiring) {
      if DispatchTime.now() >= sendsAt {
        isSending = audience.pump()
        sendsAt = .now() + .milliseconds(Self.step)
      }
      let count = srt_epoll_uwait(poll, &events, Int32(events.count), isSending ? Int64(Self.step) : 100)
      for event in events.prefix(Int(max(0, min(count, Int32(events.count))))) {
        if event.fd == socket.id {
          accept { connection in
            connections[connection.socket.id] = connection
            Self.watch(connection.socket, poll)
            audience.opened(connection)
          }
        } else if let connection = connections[event.fd], !read(connection, &buffer) {
          connections[event.fd] = nil
          connection.close()
          audience.closed(connection)
        }
      }
      let now = DispatchTime.now()
      guard now >= due else { continue }
      due = now + Self.interval
      audience.advance()
      // A connection that was closed here reports no event.
      for (id, connection) in connections where !connection.socket.isConnected {
        connections[id] = nil
        audience.closed(connection)
      }
    }
    hook.remove()
    socket.close()
    for connection in connections.values {
      connection.close()
      audience.closed(connection)
    }
  }

  /// Ends ``run()``, within 100 ms.
  public func stop() { isStopped.store(true, ordering: .releasing) }

  private static func watch(_ socket: SRTSocket, _ poll: Int32) {
    var events = Int32(bitPattern: SRT_EPOLL_IN.rawValue | SRT_EPOLL_ERR.rawValue)
    srt_epoll_add_usock(poll, socket.id, &events)
  }

  private func accept(_ opened: (SRTConnection) -> Void) {
    while true {
      var name = sockaddr_storage()
      var length = Int32(MemoryLayout<sockaddr_storage>.size)
      let (id, host) = withUnsafeMutableBytes(of: &name) { bytes -> (SRTSOCKET, String) in
        guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return (SRT_INVALID_SOCK, "") }
        let id = srt_accept(socket.id, address, &length)
        return (id, id == SRT_INVALID_SOCK ? "" : SocketName.host(of: address))
      }
      guard id != SRT_INVALID_SOCK else { return }
      let accepted = SRTSocket(accepted: id)
      accepted.set(SRTO_RCVSYN, isOn: false)
      accepted.set(SRTO_SNDSYN, isOn: false)
      var text = [UInt8](repeating: 0, count: 513)
      var count = Int32(text.count)
      let status = srt_getsockflag(id, SRTO_STREAMID, &text, &count)
      let streamID = status == SRT_ERROR ? "" : String(decoding: text.prefix(Int(max(0, min(count, 512)))), as: UTF8.self)
      opened(SRTConnection(accepted, SRTRequest(streamID: streamID, host: host)))
    }
  }

  /// Reads what has arrived. Returns false at the end of the connection.
  private func read(_ connection: SRTConnection, _ buffer: inout [UInt8]) -> Bool {
    for _ in 0..<Self.turn {
      let count = buffer.withUnsafeMutableBytes { bytes in
        srt_recvmsg(connection.socket.id, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      }
      guard count > 0 else { return count < 0 && srt_must_wait(srt_getlasterror(nil)) != 0 }
      buffer.withUnsafeBytes { audience.received(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(count))), from: connection) }
    }
    return true
  }
}

/// What the library calls with a caller's handshake.
private final class Hook: Sendable {
  private let audience: Mutex<(any SRTAudience)?>

  init(_ audience: any SRTAudience) { self.audience = Mutex(audience) }

  /// The library may call the hook while its socket closes, so the hook itself, without the audience, is never released.
  func install(on socket: SRTSocket) -> Bool {
    let opaque = Unmanaged.passRetained(self).toOpaque()
    let status = srt_listen_callback(
      socket.id,
      { opaque, id, _, address, streamID in
        guard let opaque, let address else { return -1 }
        let hook = Unmanaged<Hook>.fromOpaque(opaque).takeUnretainedValue()
        let request = SRTRequest(
          streamID: streamID.map { String(cString: $0) } ?? "", host: SocketName.host(of: address))
        guard let rejection = hook.decide(request) else { return 0 }
        srt_setrejectreason(id, Int32(clamping: rejection.code))
        return -1
      }, opaque)
    return status != SRT_ERROR
  }

  func remove() { audience.withLock { $0 = nil } }

  private func decide(_ request: SRTRequest) -> SRTRejection? {
    guard let audience = audience.withLock({ $0 }) else { return .unavailable }
    return audience.decide(request)
  }
}
