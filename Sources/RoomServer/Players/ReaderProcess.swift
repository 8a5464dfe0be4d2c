import Glibc
import NIOCore
import NIOPosix
import RoomCLinux
import RoomMediaReader
import RoomRTMP

/// A process that reads the source of a player. Belongs to the event loop that has started it.
final class ReaderProcess {
  enum Event {
    case message(MediaMessage)
    /// What was read so far is processed; ``ReaderProcess/read()`` reads more.
    case pause
    /// The process has ended, or its output is broken.
    case over
  }

  let process: pid_t
  /// Nil until the pipes belong to the loop, which takes no time.
  private var channel: (any Channel)?
  private var isStopped = false

  /// Starts the process.
  /// - Parameters:
  ///   - program: the path of `roomserver`.
  ///   - received: receives the events on the loop.
  /// - Throws: `IOError` if the process can't be started.
  init(
    _ plan: ReaderPlan, program: String, on loop: any EventLoop, received: @escaping (Event) -> Void
  ) throws {
    loop.assertInEventLoop()
    var (input, output): (CInt, CInt) = (-1, -1)
    process = linux_spawn(program, "read-media", &input, &output)
    guard process > 0 else { throw IOError(errnoCode: errno, reason: "starting \(program)") }
    let handler = NIOLoopBound(Handler(received), eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelOption(.autoRead, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptors(input: output, output: input)
      .assumeIsolated().whenComplete { result in
        guard case .success(let channel) = result else { return received(.over) }
        self.channel = channel
        guard !self.isStopped else { return channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer(bytes: plan.line), promise: nil)
        channel.read()
      }
  }

  func read() { channel?.read() }

  func send(_ command: ReaderCommand) { channel?.writeAndFlush(ByteBuffer(bytes: command.line), promise: nil) }

  /// Ends the process.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    kill(process, SIGKILL)
    channel?.close(promise: nil)
    let process = process
    // Returns at once, because the process is killed.
    Task.detached { waitpid(process, nil, 0) }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let received: (Event) -> Void
    private var demuxer = FLVDemuxer(longestTag: 9 << 20)
    private var isOver = false

    init(_ received: @escaping (Event) -> Void) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let buffer = Self.unwrapInboundIn(data)
      guard !isOver else { return }
      var messages: [MediaMessage] = []
      let isValid = buffer.withUnsafeReadableBytes { bytes in
        var rest = bytes
        do throws(FLVError) {
          while let message = try demuxer.read(&rest) { messages.append(message) }
          return true
        } catch { return false }
      }
      for message in messages { received(.message(message)) }
      if !isValid { end() }
    }

    func channelReadComplete(context: ChannelHandlerContext) { if !isOver { received(.pause) } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event as? ChannelEvent == .inputClosed { end() }
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end() }

    private func end() {
      guard !isOver else { return }
      isOver = true
      received(.over)
    }
  }
}
