import NIOCore
import NIOPosix
import RoomPeers
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("A connection that fails")
struct ConnectFailureTests {
  /// Connects and returns the failure.
  private static func failure(_ url: String, options: RoomOptions = .init()) async throws -> ConnectFailure {
    do {
      _ = try await Room.connect(to: url, token: "nonsense", options: options)
    } catch RoomClientError.connectFailed(let failure) {
      for text in ["\(failure)", "\(RoomClientError.connectFailed(failure))"] {
        for raw in ["NIO", "errno", "Error(", "SSL"] { #expect(!text.contains(raw), "\(text)") }
      }
      return failure
    }
    throw DidNotHappen(what: "the connection did not fail")
  }

  /// Starts a listener that accepts connections and never answers.
  private static func silentListener() async throws -> any Channel {
    try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
  }

  @Test("says whether the name, the port or the path is wrong") func address() async throws {
    let stage = try await Stage()
    let (url, port) = (stage.url, stage.server.port)
    #expect(try await Self.failure("ws://127.0.0.1:\(port)/nowhere").kind == .upgradeRefused(status: 404))
    #expect(try await Self.failure("wss://127.0.0.1:\(port)/v1/signal").kind == .tls)
    await stage.server.stop()
    let refused = try await Self.failure(url)
    #expect(refused.kind == .refused)
    #expect(!refused.cause.isEmpty)
    #expect(try await Self.failure("ws://no-such-host.invalid/v1/signal").kind == .nameNotFound)
  }

  @Test("says whether the server's certificate or the own trust is wrong") func certificates() async throws {
    let stage = try await Stage()
    let relay = try await TCPRelay.start(to: Int(stage.server.port), tls: try SelfSigned.context())
    let url = "wss://localhost:\(relay.port)/v1/signal"
    #expect(try await Self.failure(url).kind == .untrustedCertificate)
    let options = RoomOptions(trust: .certificates(path: "/nowhere.pem"))
    #expect(try await Self.failure(url, options: options).kind == .invalidTrust)
    relay.stop()
    await stage.server.stop()
  }

  @Test("says that the server was silent, or closed the socket") func silence() async throws {
    let listener = try await Self.silentListener()
    let url = "ws://127.0.0.1:\(listener.localAddress?.port ?? 0)/v1/signal"
    #expect(try await Self.failure(url, options: .init(timeout: .milliseconds(300))).kind == .timedOut)
    try await listener.close()
    let relay = try await TCPRelay.start(to: 9)
    relay.cut(refusing: true)
    #expect(try await Self.failure("ws://127.0.0.1:\(relay.port)/v1/signal").kind == .closed)
    relay.stop()
  }

  @Test("a cancelled connect and a cancelled call throw CancellationError at once") func cancels() async throws {
    let listener = try await Self.silentListener()
    let url = "ws://127.0.0.1:\(listener.localAddress?.port ?? 0)/v1/signal"
    let connecting = Task { _ = try await Room.connect(to: url, token: "nonsense") }
    connecting.cancel()
    await #expect(throws: CancellationError.self) {
      try await within(.seconds(5), "the end of the connect") { try await connecting.value }
    }
    try await listener.close()

    let stage = try await Stage()
    let relay = try await TCPRelay.start(to: Int(stage.server.port))
    let ada = try await stage.host("ada", over: relay.port)
    relay.stall()
    let calls = [
      Task { try await ada.attributes.set(["title": "quiz"]) },
      Task { try await ada.publish([LocalAudioTrack()]) },
      Task { _ = try await ada.seats.listRequests() },
    ]
    // Lets the calls start; one that has not started is cancelled just as well.
    await Task.yield()
    for call in calls { call.cancel() }
    for call in calls {
      await #expect(throws: CancellationError.self) {
        try await within(.seconds(5), "the end of the call") { try await call.value }
      }
    }
    relay.stop()
    await ada.leave()
    await stage.server.stop()
  }
}
