import Foundation
import RoomRTMP
import RoomRTP
import Synchronization

/// A minimal server around `ServerSession`: accepts every publish, and sends it to every player.
final class LoopbackOrigin: Sendable {
  struct Log {
    var connects: [ConnectRequest] = []
    var publishes: [PublishRequest] = []
    var plays: [PlayRequest] = []
    var published: [MediaMessage] = []
    var failures: [SessionFailure] = []
    /// The description with which to refuse instead.
    var refusal: String?
    fileprivate var isStopped = false
  }

  let port: UInt16
  private let log = Mutex(Log())

  init(refusing refusal: String? = nil) throws {
    let (listener, port) = try LoopbackSocket.listening()
    self.port = port
    log.withLock { $0.refusal = refusal }
    let descriptor = Handover(listener)
    Thread.detachNewThread { self.run(descriptor.socket) }
  }

  var snapshot: Log { log.withLock { $0 } }

  func url(_ name: String = "studio") -> String { "rtmp://127.0.0.1:\(port)/live/\(name)" }

  func stop() { log.withLock { $0.isStopped = true } }

  /// Passes the listening socket to the thread that owns it from then on.
  private struct Handover: @unchecked Sendable {
    // The creator drops the socket when the thread begins.
    let socket: LoopbackSocket
    init(_ socket: LoopbackSocket) { self.socket = socket }
  }

  private final class Connection {
    let socket: LoopbackSocket
    var session: ServerSession
    var output: [UInt8] = []
    var playing: MessageStreamID?

    init(_ socket: LoopbackSocket, now: Instant) {
      self.socket = socket
      session = ServerSession(now: now)
    }
  }

  private static var now: Instant { Instant(microseconds: Int64(ProcessInfo.processInfo.systemUptime * 1_000_000)) }

  private func run(_ listener: LoopbackSocket) {
    var connections: [Connection] = []
    /// The first messages for a new viewer: metadata, sequence headers, everything since the last key frame.
    var start: [MediaMessage] = []
    while !snapshot.isStopped {
      LoopbackSocket.wait([listener] + connections.map(\.socket))
      while let socket = listener.accept() { connections.append(Connection(socket, now: Self.now)) }
      for connection in connections {
        if let bytes = connection.socket.read() {
          bytes.withUnsafeBytes { connection.session.receive($0, now: Self.now) }
        } else {
          connection.session.disconnected()
        }
        connection.session.advance(to: Self.now)
        while let event = connection.session.nextEvent() {
          handle(event, of: connection, among: connections, start: &start)
        }
      }
      for connection in connections {
        connection.output += connection.session.takeOutput()
        if !connection.socket.write(&connection.output) { connection.session.disconnected() }
      }
      connections.removeAll { $0.session.isClosed && $0.output.isEmpty }
    }
  }

  private func handle(
    _ event: ServerEvent, of connection: Connection, among connections: [Connection], start: inout [MediaMessage]
  ) {
    switch event {
    case .connectRequested(let request):
      log.withLock { $0.connects.append(request) }
      connection.session.acceptConnect(now: Self.now)
    case .publishRequested(let request):
      log.withLock { $0.publishes.append(request) }
      if let refusal = snapshot.refusal {
        connection.session.rejectPublish(request.stream, description: refusal, now: Self.now)
      } else {
        connection.session.acceptPublish(request.stream, now: Self.now)
      }
    case .playRequested(let request):
      log.withLock { $0.plays.append(request) }
      connection.session.acceptPlay(request.stream, now: Self.now)
      connection.playing = request.stream
      for message in start { connection.session.send(message, on: request.stream) }
    case .media(let media, _):
      log.withLock { $0.published.append(media) }
      keep(media, in: &start)
      // Half as shared chunks, half as the session's own, so that players receive a mix.
      let prepared = PreparedMedia(media, chunkSize: 4096)
      for viewer in connections {
        guard let stream = viewer.playing else { continue }
        if media.timestamp % 2 == 0, viewer.session.admits(prepared, on: stream) {
          viewer.output += viewer.session.takeOutput() + prepared.bytes
        } else {
          viewer.session.send(media, on: stream)
        }
      }
    case .publishEnded:
      for viewer in connections {
        if let stream = viewer.playing { viewer.session.endPlay(stream, now: Self.now) }
      }
    case .closed(let failure): log.withLock { $0.failures.append(failure) }
    case .playEnded, .paused, .wants: break
    }
  }

  private func keep(_ media: MediaMessage, in start: inout [MediaMessage]) {
    let isKeyFrame =
      media.kind == .video && media.payload.withUnsafeBytes { VideoTag(parsing: $0)?.isKeyFrame } ?? false
    if isKeyFrame {
      start.removeAll { message in
        message.kind != .data
          && !message.payload.withUnsafeBytes { bytes in
            message.kind == .video
              ? VideoTag(parsing: bytes)?.isSequenceHeader ?? false : AudioTag(parsing: bytes)?.isSequenceHeader ?? false
          }
      }
    }
    start.append(media)
  }
}
