import NIOCore
import NIOEmbedded
import NIOTLS
import RoomPeers
import RoomTestSupport
import Testing

@testable import RoomTLS

@Suite("TLS connections")
struct TLSHandlerTests {
  /// A client and a server whose bytes the test carries.
  private final class Pair {
    let client: EmbeddedChannel
    let server: EmbeddedChannel
    let atClient = Ears()
    let atServer = Ears()

    init(trusting trust: TLSContext.Trust = .text(SelfSigned.certificateText), host: String = "localhost") throws {
      client = EmbeddedChannel()
      server = EmbeddedChannel()
      try client.pipeline.syncOperations.addHandlers([TLSHandler(TLSContext(trusting: trust), host: host), atClient])
      try server.pipeline.syncOperations.addHandlers([TLSHandler(serving: SelfSigned.context()), atServer])
      for channel in [client, server] { channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil) }
    }

    /// Carries bytes until neither side has any, in pieces of `size`.
    func carry(pieces size: Int = .max) throws {
      var isMoving = true
      while isMoving {
        isMoving = false
        for (from, to) in [(client, server), (server, client)] {
          while var bytes = try from.readOutbound(as: ByteBuffer.self) {
            isMoving = true
            while bytes.readableBytes > 0, let piece = bytes.readSlice(length: min(size, bytes.readableBytes)), to.isActive {
              to.pipeline.fireChannelRead(piece)
              to.pipeline.fireChannelReadComplete()
            }
          }
        }
        client.embeddedEventLoop.run()
        server.embeddedEventLoop.run()
      }
    }
  }

  /// What a side's application gets.
  private final class Ears: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private(set) var bytes: [UInt8] = []
    private(set) var errors: [TLSError] = []
    private(set) var isSecured = false
    private(set) var isClosed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += unwrapInboundIn(data).readableBytesView }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if let error = error as? TLSError { errors.append(error) }
    }
    func channelInactive(context: ChannelHandlerContext) { isClosed = true }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case .handshakeCompleted = event as? TLSUserEvent { isSecured = true }
    }
  }

  @Test("data of both sides arrives whole, however TCP divides it", arguments: [1, 100, Int.max])
  func data(piece: Int) throws {
    let pair = try Pair()
    let large = (0..<(piece == 1 ? 20_000 : 1_000_000)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    // Written before the handshake.
    let early = pair.client.writeAndFlush(ByteBuffer(string: "early "))
    try pair.carry(pieces: piece)
    try early.wait()
    #expect(pair.atClient.isSecured && pair.atServer.isSecured)
    let sent = [pair.client.writeAndFlush(ByteBuffer(string: "bird")), pair.server.writeAndFlush(ByteBuffer(bytes: large))]
    try pair.carry(pieces: piece)
    for each in sent { try each.wait() }
    #expect(pair.atServer.bytes == Array("early bird".utf8))
    #expect(pair.atClient.bytes == large)
  }

  @Test("a close reaches the other side, with the data before it")
  func close() throws {
    let pair = try Pair()
    try pair.carry()
    pair.server.write(ByteBuffer(string: "the end"), promise: nil)
    pair.server.close(promise: nil)
    try pair.carry()
    #expect(pair.atClient.bytes == Array("the end".utf8))
    #expect(pair.atClient.isClosed && pair.atClient.errors.isEmpty)
    #expect(throws: ChannelError.ioOnClosedChannel) { try pair.client.writeAndFlush(ByteBuffer(string: "late")).wait() }
  }

  @Test("a connection that is cut is no regular end")
  func cut() throws {
    let pair = try Pair()
    try pair.carry()
    pair.client.pipeline.fireChannelInactive()
    #expect(pair.atClient.errors == [.truncated])
    let begun = try Pair()
    begun.client.pipeline.fireChannelInactive()
    #expect(begun.atClient.errors == [.handshake("closed by the peer")])
  }

  @Test(
    "a client accepts the names of the certificate alone",
    arguments: [
      ("localhost", true), ("127.0.0.1", true), ("127.0.0.2", false), ("::1", false), ("example.org", false),
      ("ocalhost", false),
    ])
  func names(host: String, isAccepted: Bool) throws {
    let pair = try Pair(host: host)
    try pair.carry()
    #expect(pair.atClient.isSecured == isAccepted)
    guard !isAccepted else { return }
    #expect(pair.atClient.errors.contains { if case .untrusted = $0 { true } else { false } }, "\(pair.atClient.errors)")
    #expect(pair.atClient.isClosed && pair.atServer.isClosed)
    #expect(!pair.atServer.errors.isEmpty, "the server gets the client's alert")
  }

  @Test("a certificate of an unknown authority is refused, and accepted by a client that trusts any")
  func trust() throws {
    let strict = try Pair(trusting: .system)
    try strict.carry()
    #expect(!strict.atClient.isSecured)
    #expect(strict.atClient.errors.contains { if case .untrusted = $0 { true } else { false } }, "\(strict.atClient.errors)")
    let any = try Pair(trusting: .any, host: "example.org")
    try any.carry()
    #expect(any.atClient.isSecured)
  }

  @Test("what waits for the handshake is bounded")
  func bound() throws {
    let pair = try Pair()
    let first = pair.client.write(ByteBuffer(repeating: 0, count: TLSHandler.limit))
    #expect(throws: TLSError.self) { try pair.client.write(ByteBuffer(repeating: 0, count: 1)).wait() }
    try pair.carry()
    try first.wait()
    #expect(pair.atServer.bytes.count == TLSHandler.limit)
  }

  @Test("bytes that are no TLS, or changed on the way, close the connection with an error")
  func damage() throws {
    var random = SeededGenerator(seed: 7)
    for round in 0..<200 {
      let pair = try Pair()
      if round % 2 == 0 { try pair.carry() }
      let victim = round % 4 < 2 ? pair.client : pair.server
      var bytes = ByteBuffer()
      if round % 3 == 0, let real = try (victim === pair.client ? pair.server : pair.client).readOutbound(as: ByteBuffer.self) {
        var real = Array(real.readableBytesView)
        real[Int.random(in: 0..<real.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        bytes.writeBytes(real)
      } else {
        bytes.writeBytes(random.bytes(.random(in: 1...2000, using: &random)))
      }
      victim.pipeline.fireChannelRead(bytes)
      victim.pipeline.fireChannelReadComplete()
      try pair.carry()
      victim.pipeline.fireChannelInactive()
      let ears = victim === pair.client ? pair.atClient : pair.atServer
      #expect(!ears.errors.isEmpty)
    }
  }

  @Test("a certificate without its key, and files that are no PEM, are refused")
  func files() throws {
    let (certificate, key) = (SelfSigned.certificateText.utf8, SelfSigned.keyText.utf8)
    #expect(throws: TLSError.unusableCertificates) { try TLSContext(certificates: "none".utf8, key: key) }
    #expect(throws: TLSError.unusableKey) { try TLSContext(certificates: certificate, key: "none".utf8) }
    #expect(throws: TLSError.otherKey) { try TLSContext(certificates: certificate, key: Self.otherKey.utf8) }
    #expect(throws: TLSError.unusableCertificates) { try TLSContext(trusting: .file("/nowhere")) }
    #expect(throws: TLSError.unusableCertificates) { try TLSContext(trusting: .text("none")) }
    #expect(try #require(TLSContext(certificates: certificate, key: key).expires).timeIntervalSince1970 == 4_948_834_038)
  }

  private static let otherKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDdWOyzLmCVId36HA
    YJR5vd+LOMw5yiV8CdIkva9TeYuhRANCAASfKj7602sKlewn2QHMqoqnkHLvermZ
    UCb6OrzDqE1ImOaoFg3WzUBjBVm/6wzYnrdq+RXhwjKRlSevuXoUqkaQ
    -----END PRIVATE KEY-----
    """
}
