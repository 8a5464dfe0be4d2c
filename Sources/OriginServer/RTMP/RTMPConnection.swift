import RoomLiveOrigin
import NIOCore
import RoomRTMP
import RoomRTP
import RoomWebRTC

/// One RTMP client: a ``ServerSession`` with its socket, and the streams that it publishes and plays. Belongs to its event
/// loop.
///
/// A viewer's socket gets the next message only when it can take it. Messages that a slow viewer misses are dropped at its
/// position in the hub, and cost nothing here. All viewers share the messages' bytes.
final class RTMPConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let home: RTMPLoop
  var session: ServerSession
  /// Nil before the socket is connected and after it is closed.
  private(set) var context: ChannelHandlerContext?
  var request: ConnectRequest?
  var publishes: [MessageStreamID: any PublishSink] = [:]
  var plays: [MessageStreamID: RTMPPlay] = [:]
  private let chunkSize: Int
  private var silentNumber = 0
  private var isServing = false
  private var servesAgain = false
  private var isClosing = false
  /// The number of its requests that were rejected.
  private var refusals = 0

  /// The number of rejected requests after which a client is disconnected.
  private static let refusalLimit = 8

  init(_ home: RTMPLoop) {
    self.home = home
    let options = ServerSession.Options(timeouts: home.origin.settings.timeouts)
    chunkSize = options.chunkSize
    session = ServerSession(options, now: Origin.now())
  }

  /// The client's address, for logs.
  var client: String { context?.remoteAddress?.ipAddress ?? "unknown" }

  // MARK: The socket

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let address = context.remoteAddress?.ipAddress.flatMap { TransportAddress(host: $0, port: 0) }
    guard let number = home.add(self, from: address) else { return close() }
    silentNumber = number
  }

  func handlerRemoved(context: ChannelHandlerContext) { gone() }
  func channelInactive(context: ChannelHandlerContext) { gone() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0, now: Origin.now()) }
    settle()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { serve() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

  func close() {
    isClosing = true
    context?.close(promise: nil)
  }

  private func gone() {
    guard context != nil else { return }
    context = nil
    session.disconnected()
    handleEvents()
    home.remove(self, silent: silentNumber)
  }

  /// Ends the session because the server stops.
  func end() {
    session.end()
    settle()
  }

  func advance(to now: Instant) {
    session.advance(to: now)
    settle()
  }

  /// Processes the session's events after a change.
  func settle() {
    handleEvents()
    if writeAnswers() { context?.flush() }
    if session.isClosed, !isClosing { close() }
  }

  private func handleEvents() { while let event = session.nextEvent() { handle(event) } }

  /// Counts a rejected request, and ends the session if there were too many.
  func wasRefused() {
    refusals += 1
    if refusals >= Self.refusalLimit { session.end() }
  }

  func sentRequest() { home.sentRequest(silentNumber) }

  /// Writes the session's output. Returns false if there is none.
  private func writeAnswers() -> Bool {
    let output = session.takeOutput()
    guard !output.isEmpty, let context else { return false }
    context.write(wrapOutboundOut(ByteBuffer(bytes: output)), promise: nil)
    return true
  }

  // MARK: Viewers

  /// Sends new media of a stream. Most viewers are at the same position in it, and receive the same bytes in one write:
  /// `shared` is what the previous viewer received.
  func serve(_ audience: RTMPAudience, _ shared: inout RTMPShare?) {
    if share(audience, &shared) { return }
    for play in plays.values where play.audience === audience { play.isWaiting = false }
    serve()
  }

  /// Sends all available media in one write. Returns false, and sends nothing, if that is impossible.
  private func share(_ audience: RTMPAudience, _ shared: inout RTMPShare?) -> Bool {
    guard !isServing, plays.count == 1, let (stream, play) = plays.first, play.audience === audience, play.isWaiting,
      !play.isPaused, let context, context.channel.isWritable,
      MediaMessage.Kind.allCases.allSatisfy({ session.admitsPrepared($0, chunkSize: chunkSize, on: stream) })
    else { return false }
    if shared.map({ play.viewer.take($0.batch) }) != true {
      guard let batch = play.viewer.batch(), play.viewer.take(batch) else { return false }
      shared = RTMPShare(batch, chunkSize: chunkSize)
    }
    guard let shared else { return false }
    isServing = true
    // The viewer waits for the next wakeup before the write: if the write closes the connection, it is removed from the list.
    audience.wait(self)
    _ = writeAnswers()
    context.writeAndFlush(wrapOutboundOut(shared.buffer), promise: nil)
    home.origin.counters.countSent(shared.buffer.readableBytes, over: .rtmp)
    isServing = false
    if servesAgain {
      servesAgain = false
      serve()
    }
    return true
  }

  /// Sends its streams as much as the socket can take.
  func serve() {
    // A write may change the socket's writability, which NIO reports during the write.
    guard !isServing else {
      servesAgain = true
      return
    }
    isServing = true
    repeat {
      servesAgain = false
      var sent = 0
      for (stream, play) in plays where !play.isWaiting && !play.isPaused { sent &+= give(play, stream) }
      if writeAnswers() || sent > 0 { context?.flush() }
      if sent > 0 { home.origin.counters.countSent(sent, over: .rtmp) }
    } while servesAgain
    isServing = false
  }

  /// Sends one viewer as much media as the socket can take. Returns the number of bytes.
  private func give(_ play: RTMPPlay, _ stream: MessageStreamID) -> Int {
    var sent = 0
    defer { play.countDropped(home.origin.counters) }
    while let context, context.channel.isWritable {
      switch play.viewer.next() {
      case .media(let media):
        // The session's pending output goes first.
        if session.admitsPrepared(media.media.kind, chunkSize: chunkSize, on: stream) {
          _ = writeAnswers()
          let buffer = media.buffer(ofChunkSize: chunkSize)
          sent &+= buffer.readableBytes
          context.write(wrapOutboundOut(buffer), promise: nil)
        } else {
          session.send(media.media, on: stream)
          sent &+= media.media.payload.count
          _ = writeAnswers()
        }
      case .nothing:
        play.isWaiting = true
        play.audience.wait(self)
        return sent
      case .end:
        session.endPlay(stream, now: Origin.now())
        endPlay(stream)
        return sent
      }
    }
    return sent
  }

  func endPlay(_ stream: MessageStreamID) {
    guard let play = plays.removeValue(forKey: stream) else { return }
    play.countDropped(home.origin.counters)
    if play.isWaiting { play.audience.forget(self) }
    home.leave(play.audience)
  }
}

/// A stream that a client plays.
final class RTMPPlay {
  let viewing: Origin.Viewing
  let viewer: StreamViewer
  let audience: RTMPAudience
  var isPaused = false
  /// Whether it has received everything so far, and its audience wakes it.
  var isWaiting = false
  private var countedDrops = 0

  init(_ viewing: Origin.Viewing, _ viewer: StreamViewer, _ audience: RTMPAudience) {
    self.viewing = viewing
    self.viewer = viewer
    self.audience = audience
    audience.viewers += 1
  }

  func countDropped(_ counters: OriginCounters) {
    let dropped = viewer.counters.droppedFrames &+ viewer.counters.missed
    guard dropped != countedDrops else { return }
    counters.countDropped(dropped - countedDrops)
    countedDrops = dropped
  }
}
