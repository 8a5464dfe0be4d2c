import Foundation
import NIOCore
import NIOPosix
import RoomLinux
import RoomRTMP
import RoomRTP
import Synchronization

/// A live server on an address of this machine that accepts every publisher, and keeps what ``PublishedStream`` counts; on request also
/// the media. A second publisher on a URL is accepted too.
final class LiveSink: Sendable {
  private let streams: Guarded
  private let channel: any Channel
  private let host: String

  /// Maximum number of streams that are counted.
  fileprivate static let limit = 10_000

  fileprivate final class Guarded: Sendable {
    struct State {
      var streams: [String: PublishedStream] = [:]
      var recordings: [String: StreamRecording] = [:]
      var isOpen = true
    }
    let state = Mutex(State())
    let folder: URL?

    init(_ folder: URL?) { self.folder = folder }

    func began(_ name: String) {
      state.withLock { state in
        guard state.isOpen, state.streams[name] != nil || state.streams.count < LiveSink.limit else { return }
        state.streams[name, default: PublishedStream()].began()
        guard let folder, state.recordings[name] == nil else { return }
        state.recordings[name] = try? StreamRecording(folder.appending(path: "\(name).flv"))
      }
    }

    func received(_ message: MediaMessage, on name: String) {
      state.withLock { state in
        guard state.isOpen else { return }
        state.streams[name]?.received(message)
        state.recordings[name]?.append(message)
      }
    }
  }

  /// - Parameter folder: where the media of each URL is kept as `NAME.flv`, so names must be file names; nil keeps no media.
  init(host: String = "127.0.0.1", recordingTo folder: URL? = nil) async throws {
    self.host = host
    streams = Guarded(folder)
    let streams = streams
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(SinkHandler(streams)) }
      }
      .bind(host: host, port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }

  func url(_ name: String) -> String { "rtmp://\(host):\(port)/live/\(name)" }

  func stream(_ name: String) -> PublishedStream { streams.state.withLock { $0.streams[name] } ?? PublishedStream() }

  /// Closes the port. Nothing is counted or recorded from then on.
  func stop() async {
    streams.state.withLock { state in
      state.isOpen = false
      state.recordings = [:]
    }
    try? await channel.close()
  }
}

private final class SinkHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let streams: LiveSink.Guarded
  private var session = ServerSession(now: .now)
  private var names: [MessageStreamID: String] = [:]

  init(_ streams: LiveSink.Guarded) { self.streams = streams }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0, now: .now) }
    advance(context)
  }

  func channelInactive(context: ChannelHandlerContext) { session.disconnected() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func advance(_ context: ChannelHandlerContext) {
    session.advance(to: .now)
    while let event = session.nextEvent() {
      switch event {
      case .connectRequested: session.acceptConnect(now: .now)
      case .publishRequested(let request):
        let name = request.name.name
        names[request.stream] = name
        streams.began(name)
        session.acceptPublish(request.stream, now: .now)
      case .media(let message, let stream): if let name = names[stream] { streams.received(message, on: name) }
      case .playRequested(let request): session.rejectPlay(request.stream, description: "this server plays nothing", now: .now)
      case .publishEnded, .playEnded, .paused, .wants: break
      case .closed: context.close(promise: nil)
      }
    }
    let output = session.takeOutput()
    if !output.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: output)), promise: nil) }
  }
}
