import Foundation
import Logging
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomRedis
import Synchronization

/// This server as a node of a cluster: its connection to Redis, its leases, and its requests to other nodes.
final class Cluster: RoomOwnership {
  /// What the directory of rooms does for the node.
  struct Callbacks: Sendable {
    var report: @Sendable () -> NodeReport
    var adopt: @Sendable (RoomName) async -> Void
    var drop: @Sendable ([RoomName]) async -> Void
  }

  /// The path of signalling at every node.
  private static let signalling = "/v1/signal"
  /// Timeout of the first connection to Redis.
  private static let startTime = Duration.seconds(10)
  /// Timeout of a question for a promise.
  private static let promiseTime = Duration.milliseconds(800)

  let node: ClusterNode
  let store: ClusterStore
  let rooms: RedisStore
  let signature: NodeSignature
  let client = NodeClient()
  /// The live streams of all nodes.
  let streams: ClusterStreams
  private let callbacks: Guarded<Callbacks?>
  private let log: Logger

  /// Connects to Redis. The node enters the cluster with ``start(_:)``.
  /// - Parameters:
  ///   - node: the node's name.
  ///   - kicked: receives the tokens of kicked users of other nodes.
  init(
    _ settings: ClusterSettings, node id: NodeID, kicked: Guarded<KickedTokens>, log: Logger
  ) async throws(StartError) {
    let redis: RedisClient
    let secret: String
    do {
      redis = try RedisClient(settings.store, log: log)
    } catch {
      throw .cluster(reason: "\(error)")
    }
    let store = ClusterStore(redis)
    do throws(RedisError) {
      secret = try await Self.secret(of: store)
    } catch {
      let fault = redis.fault
      await redis.close()
      throw .cluster(reason: "\(settings.store): \(fault.map { "\($0)" } ?? "\(error)")")
    }
    let callbacks = Guarded<Callbacks?>(nil)
    let (signature, client, reach) = (NodeSignature(secret: secret), client, NodeReach())
    let node = ClusterNode(
      id, process: .random(in: 0...(.max)), store: store,
      .init(
        report: { callbacks.withLock { $0 }?.report() ?? NodeReport(address: "", headroom: 0) },
        ask: { member, request in
          let question = PromiseQuestion(request)
          guard let body = try? JSONEncoder().encode(question) else { return false }
          var http = HTTPRequest(
            method: "POST", target: ClusterAPI.promises, headers: [("content-type", "application/json")], body: [UInt8](body))
          http.headers.append(
            (
              NodeSignature.header,
              signature.value(node: id, method: "POST", target: ClusterAPI.promises, body: http.body, at: RoomTime.now.unix)
            ))
          return (try? await client.send(http, to: member.report.address, within: Self.promiseTime))?.status == 204
        },
        isReachable: { member in await reach.isReachable(member, by: client) },
        adopt: { lease in await callbacks.withLock { $0 }?.adopt(lease.room) },
        stop: { leases in await callbacks.withLock { $0 }?.drop(leases.map(\.room)) },
        kicked: { kicks in kicked.withLock { $0.restore(kicks.compactMap(RedisStore.kick)) } }),
      log: log)
    self.node = node
    self.store = store
    self.signature = signature
    self.callbacks = callbacks
    self.log = log
    streams = ClusterStreams(node, redis, client, signature, log: log)
    rooms = RedisStore(
      redis, incarnation: { node.incarnation },
      title: { room in try node.titleToWrite(room).map { .init(owner: $0.0, fence: $0.fence) } },
      lost: { room in Task { await node.lost(room) } })
  }

  private static func secret(of store: ClusterStore) async throws(RedisError) -> String {
    let deadline = ContinuousClock.now + startTime
    let proposal = (0..<32).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    while true {
      do throws(RedisError) { return try await store.secret(proposal: proposal) } catch {
        guard ContinuousClock.now < deadline else { throw error }
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Enters the cluster.
  func start(_ callbacks: Callbacks) {
    self.callbacks.withLock { $0 = callbacks }
    node.start()
    streams.start()
  }

  /// Leaves the cluster: other nodes restore the rooms. The rooms of this one are closed, and everything is stored.
  func stop() async {
    streams.stop()
    await node.stop()
    await store.redis.close()
  }

  // MARK: Ownership

  func owns(_ room: RoomName) -> Bool { node.title(of: room) != nil }

  func acquire(_ room: RoomName, or code: ErrorCode) async throws(RoomError) {
    let owner: ClusterNode.Owner
    do throws(ClusterError) { owner = try await node.acquire(room) } catch {
      throw RoomError(code, "\(error); try again in a second")
    }
    guard case .there(let member) = owner else { return }
    throw RoomError(
      code, "the room is at node \(member.incarnation.node); connect to it", redirect: Self.signallingURL(of: member))
  }

  func load(_ room: RoomName) async throws -> StoredServer { try await rooms.load([room]) }

  func release(_ room: RoomName) async { await node.release(room) }

  private static func signallingURL(of member: ClusterMember) -> String? {
    let address = member.report.address
    guard address.hasPrefix("http") else { return nil }
    return "ws" + address.dropFirst("http".count) + signalling
  }

  // MARK: Requests between nodes

  /// Returns the node that sent a request; nil if it came from elsewhere.
  func sender(of request: HTTPRequest) -> NodeID? { signature.sender(of: request, at: RoomTime.now.unix) }

  /// The headers that belong to one connection.
  private static let ownHeaders: Set<String> = [
    "host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer", "date",
    "proxy-connection", "expect", "accept-encoding", NodeSignature.header,
  ]

  /// Passes a request to another node, and returns its answer.
  func forward(_ request: HTTPRequest, target: String? = nil, to member: ClusterMember) async -> HTTPResponse {
    var passed = request
    passed.target = target ?? request.target
    passed.headers.removeAll { Self.ownHeaders.contains($0.name) }
    let full = passed.target + (passed.query.isEmpty ? "" : "?\(passed.query)")
    passed.headers.append(
      (
        NodeSignature.header,
        signature.value(node: node.id, method: passed.method, target: full, body: passed.body, at: RoomTime.now.unix)
      ))
    do throws(NodeClient.Failure) {
      var response = try await client.send(passed, to: member.report.address, within: .seconds(10))
      response.headers.removeAll { Self.ownHeaders.contains($0.name.lowercased()) }
      return response
    } catch {
      log.warning(
        "a node does not answer", metadata: ["node": "\(member.incarnation.node)", "reason": "\(error)"])
      return .error(
        503, RoomError(.updateRoomFailed, "node \(member.incarnation.node) does not answer; try again in a second"),
        headers: [("Retry-After", "1")])
    }
  }

  /// The other members, by name.
  var others: [ClusterMember] {
    let own = node.incarnation
    return node.membership.members.values.filter { $0.incarnation != own }.sorted { $0.incarnation.node < $1.incarnation.node }
  }
}
