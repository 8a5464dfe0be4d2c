import NIOCore
import NIOHTTP1
import NIOPosix
import RoomClient
import RoomRTMP
import RoomRTP
import RoomTLS

/// Opens the connections to a live stream's server, and passes on the messages of the stream.
enum StreamConnection {
  /// The time to connect, and again until the first message arrives.
  static let patience = Duration.seconds(10)
  /// The longest time without a byte.
  static let silence = Duration.seconds(15)
  /// The largest number of consecutive redirects.
  private static let redirectLimit = 3

  /// Why a connection is over.
  enum End: Sendable {
    /// The stream has ended at its source.
    case ended
    case failed(StreamFailure)
  }

  /// Plays from a URL until the stream ends, the connection is lost, or the task is cancelled.
  /// - Parameter take: receives each message; an error ends the connection.
  static func play(
    _ url: String, trust: ServerTrust,
    take: @escaping @Sendable (MediaMessage, _ bytes: Int) async throws(StreamFailure) -> Void
  ) async -> End {
    do throws(StreamFailure) {
      var address = try StreamAddress(url)
      for _ in 0...redirectLimit {
        switch try await run(address, trust: trust, take: take) {
        case .ended, .media: return .ended
        case .failed(let failure): throw failure
        case .redirected(let location):
          guard let next = address.redirected(to: location) else { throw .refused("a redirect to another kind of URL") }
          address = next
        }
      }
      throw .refused("too many redirects")
    } catch { return .failed(error) }
  }

  private static func run(
    _ address: StreamAddress, trust: ServerTrust,
    take: @escaping @Sendable (MediaMessage, _ bytes: Int) async throws(StreamFailure) -> Void
  ) async throws(StreamFailure) -> StreamSession.Event {
    let channel: NIOAsyncChannel<StreamPart, ByteBuffer>
    do { channel = try await open(address, trust: trust) } catch { throw .connectFailed(ConnectFailure(error)) }
    do {
      return try await channel.executeThenClose { inbound, outbound in
        let deadline = channel.channel.eventLoop.scheduleTask(in: TimeAmount(patience)) {
          channel.channel.pipeline.fireErrorCaught(StreamFailure.timedOut)
        }
        defer { deadline.cancel() }
        var session = StreamSession(address, now: .now)
        try await send(session.takeOutput(), outbound)
        for try await part in inbound {
          let count = pass(part, to: &session)
          try await send(session.takeOutput(), outbound)
          var received = count
          while let event = session.nextEvent() {
            guard case .media(let message) = event else { return event }
            deadline.cancel()
            try await take(message, received)
            received = 0
          }
        }
        try Task.checkCancellation()
        session.end()
        return session.nextEvent() ?? .ended
      }
    } catch {
      throw StreamFailure(lost: error)
    }
  }

  private static func pass(_ part: StreamPart, to session: inout StreamSession) -> Int {
    switch part {
    case .head(let head):
      let isDelimited = head.headers.contains(name: "Content-Length") || head.headers.contains(name: "Transfer-Encoding")
      session.respond(
        status: Int(head.status.code), location: head.headers.first(name: "Location"), isDelimited: isDelimited)
      return 0
    case .bytes(let bytes):
      bytes.withUnsafeReadableBytes { session.receive($0, now: .now) }
      return bytes.readableBytes
    case .end:
      session.end()
      return 0
    }
  }

  private static func send(_ bytes: [UInt8], _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
    if !bytes.isEmpty { try await outbound.write(ByteBuffer(bytes: bytes)) }
  }

  private static func open(
    _ address: StreamAddress, trust: ServerTrust
  ) async throws -> NIOAsyncChannel<StreamPart, ByteBuffer> {
    let tls = try address.isSecure ? trust.context() : nil
    return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(TimeAmount(patience))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(TLSHandler(tls, host: address.host)) }
          try pipeline.addHandler(IdleStateHandler(readTimeout: TimeAmount(silence)))
          switch address {
          case .rtmp: try pipeline.addHandler(ByteParts())
          case .flv(let address):
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(ResponseParts(address))
          }
          return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      }
  }
}

extension StreamFailure {
  init(lost error: any Error) {
    switch error {
    case let failure as StreamFailure: self = failure
    case is HTTPParserError: self = .connectionLost("closed by the server")
    case is CancellationError: self = .connectionLost("stopped")
    default:
      let failure = ConnectFailure(error)
      switch failure.kind {
      case .untrustedCertificate, .tls: self = .connectFailed(failure)
      default: self = .connectionLost(failure.cause)
      }
    }
  }
}

extension Instant {
  /// The monotonic clock.
  static var now: Instant { Instant(microseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1000)) }
}
