import Dispatch
import Foundation
import RoomCSRT
public import RoomPush
public import RoomRTMP
import RoomRTP
import RoomTransportStream
import Synchronization

/// A connection that publishes to one SRT server: H.264 and AAC in a transport stream, on a thread of its own.
///
/// Media that the path cannot carry waits in a ``SendQueue``, which drops video before audio, and only up to the next key frame.
public final class SRTPush: Sendable {
  /// What happens to the connection.
  public enum Event: Sendable {
    /// The server accepted the stream; with its numeric address.
    case opened(host: String, port: UInt16)
    case failed(SRTFailure)
    /// The receiver needs a key frame to continue.
    case keyFrameNeeded
  }

  /// The media sent so far, and what waits.
  public struct Progress: Sendable {
    public var sent = PushLink.SentMedia()
    /// The bytes of the transport stream.
    public var bytes: UInt64 = 0
    public var dropped: UInt64 = 0
    /// Media that waits for the network, in ms.
    public var queued = 0
    public var statistics = SRTStatistics()
  }

  private struct State: Sendable {
    var queue: SendQueue
    var muxer: MessageMuxer
    var isOpen = false
    var isClosed = false
    var socket: SRTSocket?
    var progress = Progress()
  }

  private let address: SRTAddress
  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)
  private let tell: @Sendable (Event) -> Void
  private let finished = DispatchGroup()

  /// Connects.
  /// - Parameters:
  ///   - hasVideo: whether the transport stream announces pictures from the start; otherwise from their sequence header on.
  ///   - hasAudio: whether the transport stream announces sound from the start; otherwise from its sequence header on.
  ///   - queueLimit: the maximum duration of media queued for the server, in ms.
  ///   - preamble: sequence headers of the stream, if they are known.
  ///   - resolve: returns the numeric addresses of the host; called on a thread that may block.
  ///   - tell: called for each event, on the connection's thread.
  public init(
    to address: SRTAddress, hasVideo: Bool, hasAudio: Bool, queueLimit: Int = 2000, preamble: [MediaMessage],
    resolve: @escaping @Sendable () -> [String], tell: @escaping @Sendable (Event) -> Void
  ) {
    self.address = address
    self.tell = tell
    var muxer = MessageMuxer(hasVideo: hasVideo, hasAudio: hasAudio)
    for message in preamble { _ = muxer.packets(of: message) }
    state = Mutex(State(queue: SendQueue(limit: queueLimit), muxer: muxer))
    finished.enter()
    let thread = Thread { [weak self, finished] in
      defer { finished.leave() }
      let hosts = resolve()
      var loop = self?.connect(hosts)
      // The owner may release the push meanwhile: each turn takes it anew.
      while loop != nil {
        guard let push = self, push.turn(&loop) else { break }
      }
      loop?.socket.close()
    }
    thread.name = "srt-push"
    thread.start()
  }

  deinit { state.withLock { $0.socket }?.close() }

  /// Sends the next messages of the stream, in order. While there is no connection, only the headers are kept.
  public func send(_ messages: [MediaMessage]) {
    let needsKeyFrame = state.withLock { state in
      let needed = state.queue.needsKeyFrame
      for message in messages where !state.isClosed {
        if state.isOpen {
          state.queue.append(message)
        } else if message.isSequenceHeader {
          _ = state.muxer.packets(of: message)
        }
      }
      return state.isOpen && state.queue.needsKeyFrame && !needed
    }
    if needsKeyFrame { tell(.keyFrameNeeded) }
    wake.signal()
  }

  /// Sends what waits, for a limited time, closes the connection, and returns when it is closed. No event follows.
  public func close() async {
    let socket = state.withLock { state in
      state.isClosed = true
      return state.isOpen ? nil : state.socket
    }
    wake.signal()
    // The library waits for its own attempt to connect.
    if let socket { DispatchQueue.global().async { socket.close() } }
    await withCheckedContinuation { done in finished.notify(queue: .global()) { done.resume() } }
  }

  public var progress: Progress {
    state.withLock { state in
      var progress = state.progress
      progress.dropped = state.queue.counters.droppedFrames
      progress.queued = state.queue.duration
      return progress
    }
  }

  // MARK: The thread

  private struct Loop {
    let socket: SRTSocket
    var window = SendWindow()
    var given: Int64 = 0
    /// Packets that have left the queue and wait for the window.
    var pending: [UInt8] = []
    var position = 0
    var measured = Instant(microseconds: 0)
    var hasPending: Bool { position < pending.count }
  }

  private static func now() -> Instant {
    Instant(microseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1000))
  }

  private func connect(_ hosts: [String]) -> Loop? {
    var failure = SRTFailure.nameNotFound(address.host)
    for host in hosts.prefix(4) {
      do throws(SRTFailure) {
        let socket = try makeSocket()
        let isClosed = state.withLock { state in
          state.socket = socket
          return state.isClosed
        }
        guard !isClosed else { return nil }
        let status = SocketName.with(host, address.port) { srt_connect(socket.id, $0, $1) }
        guard let status, status != SRT_ERROR else {
          let isRejected = srt_is_rejected(srt_getlasterror(nil)) != 0
          let reason = Int(srt_getrejectreason(socket.id))
          throw isRejected && reason != Int(SRT_REJ_TIMEOUT.rawValue) ? .rejected(SRTRejection(code: reason)) : .timedOut
        }
        let wasClosed = state.withLock { state in
          // Video begins with a key frame.
          state.queue.removeAll()
          state.isOpen = true
          return state.isClosed
        }
        guard !wasClosed else { return nil }
        tell(.opened(host: host, port: address.port))
        tell(.keyFrameNeeded)
        return Loop(socket: socket)
      } catch {
        failure = error
        if case .rejected = error { break }
      }
    }
    fail(failure)
    return nil
  }

  private func makeSocket() throws(SRTFailure) -> SRTSocket {
    let socket = try SRTSocket()
    socket.set(SRTO_CONNTIMEO, 5000)
    socket.set(SRTO_PAYLOADSIZE, SRTSocket.payloadLength)
    socket.set(SRTO_LATENCY, address.latency)
    // The queue decides what is dropped, not the library.
    socket.set(SRTO_SNDDROPDELAY, -1)
    socket.set(SRTO_PBKEYLEN, address.keyLength)
    try socket.set(SRTO_STREAMID, address.streamID)
    if let passphrase = address.passphrase { try socket.set(SRTO_PASSPHRASE, passphrase) }
    socket.set(SRTO_SNDSYN, isOn: false)
    return socket
  }

  private func fail(_ failure: SRTFailure) {
    let isClosed = state.withLock { state in
      defer { (state.isClosed, state.isOpen) = (true, false) }
      return state.isClosed
    }
    if !isClosed { tell(.failed(failure)) }
  }

  /// Sends what the window permits, and waits for more. Returns false at the end of the connection.
  private func turn(_ loop: inout Loop?) -> Bool {
    guard var current = loop else { return false }
    defer { loop = current }
    guard current.socket.isConnected else {
      fail(.lost("closed by the server, or no answer"))
      return false
    }
    if state.withLock({ $0.queue.isStuck }) {
      fail(.stalled)
      return false
    }
    measure(&current)
    if state.withLock({ $0.isClosed }) {
      finish(&current)
      return false
    }
    send(&current, takesMore: true)
    _ = wake.wait(timeout: .now() + .milliseconds(10))
    return true
  }

  /// Sends what the window permits.
  /// - Parameter takesMore: whether messages are taken from the queue; else only the rest of the last one is sent.
  private func send(_ loop: inout Loop, takesMore: Bool) {
    while loop.socket.unacknowledged < loop.window.limit, loop.hasPending || takesMore && fill(&loop) {
      let end = min(loop.position + SRTSocket.payloadLength, loop.pending.count)
      let status = loop.pending[loop.position..<end].withUnsafeBytes { bytes in
        srt_sendmsg(
          loop.socket.id, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), -1, 1)
      }
      guard status > 0 else { break }
      loop.given += Int64(end - loop.position)
      loop.position = end
    }
  }

  /// What the receiver's clock may lag behind this one, in ms: its schedule begins when it has read the handshake, so a busy machine
  /// delivers that much later.
  private static let receiverLag = 500

  /// Sends what waits, for 1 s at most. Then waits until the receiver has delivered it, the latency but 2 s at most, and its lag: it
  /// discards what it has not delivered when the connection closes.
  private func finish(_ loop: inout Loop) {
    let start = Self.now()
    wait(1000, for: loop.socket) {
      // A message that is begun is also ended.
      send(&loop, takesMore: Self.now() - start < 500_000)
      return !loop.hasPending && loop.socket.unacknowledged == 0
    }
    wait(min(loop.socket.peerLatency, 2000) + Self.receiverLag, for: loop.socket) { false }
  }

  private func wait(_ milliseconds: Int, for socket: SRTSocket, until isOver: () -> Bool) {
    let end = Self.now().advanced(milliseconds: Int64(milliseconds))
    while socket.isConnected, !isOver(), Self.now() < end { usleep(5000) }
  }

  /// Takes the next message from the queue. Returns false if nothing is left.
  private func fill(_ loop: inout Loop) -> Bool {
    while !loop.hasPending {
      let packets = state.withLock { state -> [UInt8]? in
        let message = state.queue.next()
        if let message { state.progress.sent.add(message) }
        // Gathered sound waits for more of it, except at the end.
        let packets = message.map { state.muxer.packets(of: $0) } ?? (state.isClosed ? state.muxer.flush() : [])
        state.progress.bytes += UInt64(packets.count)
        return message == nil && packets.isEmpty ? nil : packets
      }
      guard let packets else { return false }
      (loop.pending, loop.position) = (packets, 0)
    }
    return true
  }

  private func measure(_ loop: inout Loop) {
    let now = Self.now()
    guard now - loop.measured >= 100_000 else { return }
    loop.measured = now
    let statistics = loop.socket.statistics
    loop.window.update(
      acknowledged: loop.given - Int64(loop.socket.unacknowledged), repeated: statistics.packetsSentAgain,
      roundTrip: statistics.roundTrip, now: now)
    state.withLock { $0.progress.statistics = statistics }
  }
}
