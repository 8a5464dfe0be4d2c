import NIOCore
import NIOPosix
import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

/// A client of the server's RTMP port: the project's own session, on a separate socket.
final class RTMPPeer: Sendable {
  private struct State {
    var session: ClientSession
    var events: [ClientEvent] = []
    var isClosed = false
  }

  private let state: Shared<State>
  private let channel: any Channel

  private init(_ state: Shared<State>, _ channel: any Channel) {
    self.state = state
    self.channel = channel
  }

  deinit { channel.close(promise: nil) }

  private static var now: Instant { Instant(microseconds: Int64(NIODeadline.now().uptimeNanoseconds / 1000)) }

  /// Connects, and starts to publish or play `app/stream`.
  /// - Parameter receiveBuffer: bytes that the kernel keeps for this client; nil for its default.
  static func connect(
    _ purpose: ClientSession.Purpose, _ server: TestServer, _ stream: String = "studio", app: String = "live",
    receiveBuffer: Int? = nil
  ) async throws -> RTMPPeer {
    try await connect(purpose, port: try #require(server.server.rtmpPort), stream, app: app, receiveBuffer: receiveBuffer)
  }

  private static func connect(
    _ purpose: ClientSession.Purpose, port: UInt16, _ stream: String, app: String, receiveBuffer: Int? = nil
  ) async throws -> RTMPPeer {
    let address = RTMPAddress(host: "127.0.0.1", port: port, app: app, stream: stream)
    let state = Shared(State(session: ClientSession(purpose, address, now: now)))
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(state)) }
      }
    if let receiveBuffer { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer)) }
    return RTMPPeer(state, try await bootstrap.connect(host: "127.0.0.1", port: Int(port)).get())
  }

  /// Like `connect`, and waits until the server accepts it.
  static func start(
    _ purpose: ClientSession.Purpose, _ server: TestServer, _ stream: String = "studio", app: String = "live",
    receiveBuffer: Int? = nil
  ) async throws -> RTMPPeer {
    let peer = try await connect(purpose, server, stream, app: app, receiveBuffer: receiveBuffer)
    try await eventually("the stream starts") {
      if let failure = peer.failure { throw NotStarted(reason: "\(failure)") }
      return peer.state.withLock { $0.session.isActive }
    }
    return peer
  }

  /// Returns the status of a rejected publish or play.
  static func refusal(_ purpose: ClientSession.Purpose, _ server: TestServer, _ stream: String, app: String = "live")
    async throws -> Status
  {
    try await refusal(purpose, port: try #require(server.server.rtmpPort), stream, app: app)
  }

  /// Returns the status of a publish or play that a server in another process rejects.
  static func refusal(
    _ purpose: ClientSession.Purpose, port: UInt16, _ stream: String, app: String = "live"
  ) async throws -> Status {
    let peer = try await connect(purpose, port: port, stream, app: app)
    return try await eventually("a rejection") {
      if case .rejected(let status, _)? = peer.failure { status } else { nil }
    }
  }

  func send(_ messages: MediaMessage...) {
    state.withLock { state in for message in messages { state.session.send(message) } }
    flush()
  }

  func end() {
    state.withLock { $0.session.end() }
    flush()
    channel.close(promise: nil)
  }

  /// Stops or resumes reading.
  func freeze(_ isFrozen: Bool = true) async throws {
    try await channel.setOption(ChannelOptions.autoRead, value: !isFrozen).get()
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  var played: [MediaMessage] {
    state.withLock { $0.events.compactMap { if case .media(let media) = $0 { media } else { nil } } }
  }

  var hasEnded: Bool { state.withLock { $0.events.contains(.ended) } }

  var failure: SessionFailure? {
    state.withLock { state in
      state.events.lazy.compactMap { if case .closed(let failure) = $0 { failure } else { nil } }.first
    }
  }

  private func flush() {
    let output = state.withLock { $0.session.takeOutput() }
    if !output.isEmpty { channel.writeAndFlush(ByteBuffer(bytes: output), promise: nil) }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    let state: Shared<State>

    init(_ state: Shared<State>) { self.state = state }

    func channelActive(context: ChannelHandlerContext) { work(context) { _ in } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = Self.unwrapInboundIn(data)
      work(context) { session in buffer.withUnsafeReadableBytes { session.receive($0, now: RTMPPeer.now) } }
    }

    func channelInactive(context: ChannelHandlerContext) {
      work(context) { $0.disconnected() }
      state.withLock { $0.isClosed = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func work(_ context: ChannelHandlerContext, _ change: (inout ClientSession) -> Void) {
      let output = state.withLock { state in
        change(&state.session)
        while let event = state.session.nextEvent() { state.events.append(event) }
        return state.session.takeOutput()
      }
      if !output.isEmpty { context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: output)), promise: nil) }
    }
  }
}

/// Media that looks like H.264 and AAC.
enum LiveSample {
  static let metadata = StreamMetadata.sample.message()
  static let videoHeader = MediaMessage(
    .video, timestamp: 0,
    payload: VideoTag.avcHeader(.sequenceStart, isKeyFrame: true)
      + [1, 0x42, 0xc0, 0x0d, 0xff, 0xe1, 0, 4, 0x67, 0x42, 0xc0, 0x0d, 1, 0, 2, 0x68, 0xce])
  static let audioHeader = MediaMessage(.audio, timestamp: 0, payload: AudioTag.aacHeader(.sequenceStart) + [0x12, 0x10])

  static func video(_ timestamp: UInt32, isKeyFrame: Bool = false, bytes: Int = 40) -> MediaMessage {
    MediaMessage(
      .video, timestamp: timestamp,
      payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: isKeyFrame) + [UInt8](repeating: 7, count: bytes))
  }

  static func audio(_ timestamp: UInt32, bytes: Int = 20) -> MediaMessage {
    MediaMessage(
      .audio, timestamp: timestamp, payload: AudioTag.aacHeader(.codedFrames) + [UInt8](repeating: 9, count: bytes))
  }

  static func isKeyFrame(_ media: MediaMessage) -> Bool {
    media.kind == .video && media.payload.withUnsafeBytes { VideoTag(parsing: $0)?.isKeyFrame == true }
  }
}

extension StreamMetadata {
  fileprivate static var sample: StreamMetadata {
    var metadata = StreamMetadata()
    metadata.width = 320
    metadata.height = 180
    return metadata
  }
}

extension RTMPPeer {
  /// Sends metadata, both configurations and a key frame.
  func sendBeginning() {
    send(LiveSample.metadata, LiveSample.videoHeader, LiveSample.audioHeader, LiveSample.video(0, isKeyFrame: true))
  }
}

/// A publish or play that the server rejected.
struct NotStarted: Error { var reason: String }
