import NIOCore
import NIOPosix

/// What of the path to a server works: the name, a TCP connection, TLS, and the upgrade to a WebSocket.
public struct NetworkCheck: Sendable, Hashable, Codable {
  /// One step. A failed step ends the check.
  public struct Step: Sendable, Hashable, Codable {
    /// `name`, `tcp`, or `webSocket`, which includes TLS.
    public var step: String
    /// How long it took, in ms.
    public var milliseconds: Double
    /// The reason of the failure; nil for success.
    public var failure: String?
  }

  /// The steps in their order.
  public var steps: [Step] = []
  /// Whether the server can be joined, as far as this check sees.
  public var passed: Bool { steps.count == 3 && steps.allSatisfy { $0.failure == nil } }

  /// Checks the path to one server. Connects to nothing else.
  /// - Parameters:
  ///   - url: the signalling address, `ws://host:port/v1/signal` or `wss://…`
  ///   - trust: the accepted certificates.
  ///   - timeout: the longest duration of each step.
  /// - Throws: ``RoomClientError/invalidURL(_:)``.
  public static func run(_ url: String, trust: ServerTrust = .system, timeout: Duration = .seconds(5)) async throws -> Self {
    let address = try SignalAddress(url)
    var check = NetworkCheck()
    let group = MultiThreadedEventLoopGroup.singleton
    let isResolved = await check.measure("name") {
      // A lookup blocks its thread and has the resolver's own time-out.
      _ = try await NIOThreadPool.singleton.runIfActive {
        try SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
      }
    }
    guard isResolved else { return check }
    let isConnected = await check.measure("tcp") {
      let bootstrap = ClientBootstrap(group: group).connectTimeout(TimeAmount(timeout))
      try await bootstrap.connect(host: address.host, port: address.port).get().close().get()
    }
    guard isConnected else { return check }
    _ = await check.measure("webSocket") {
      let socket = try await SignalSocket.open(address, timeout: timeout, trust: trust) { _ in true }
      socket.close()
      await socket.closed()
    }
    return check
  }

  private mutating func measure(_ step: String, _ work: () async throws -> Void) async -> Bool {
    let start = ContinuousClock.now
    var failure: String?
    do { try await work() } catch RoomClientError.connectFailed(let cause) {
      failure = cause.description
    } catch {
      failure = ConnectFailure(error).description
    }
    let milliseconds = ((ContinuousClock.now - start) / .microseconds(100)).rounded() / 10
    steps.append(Step(step: step, milliseconds: milliseconds, failure: failure))
    return failure == nil
  }
}
