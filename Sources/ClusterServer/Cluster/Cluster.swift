import Foundation
import Logging
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomRedis
import RoomSFU
import RoomServer
import RoomTLS
import RoomWebhooks
import Synchronization

/// This server as a node of a cluster: its connection to Redis, its leases, and its requests to other nodes.
final class Cluster: RoomOwnership {
  /// What the directory of rooms does for the node.
  struct Callbacks: Sendable {
    var report: @Sendable () -> NodeReport
    /// Restores rooms that the node owns, and gives up those of which nothing is stored.
    var adopt: @Sendable ([RoomName]) async -> Void
    var drop: @Sendable ([RoomName]) async -> Void
    /// Stores what the rooms have reported so far: no other node writes it once the room has another owner.
    var settle: @Sendable () async -> Void
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
  let client: NodeClient
  /// What both ends of a link to another node derive its keys from.
  let secret: [UInt8]
  /// The random number of this process in its incarnations.
  let process: UInt64
  /// The live streams of all nodes.
  let streams: ClusterStreams
  private let callbacks: Guarded<Callbacks?>
  private let limiting = Guarded<Task<Void, Never>?>(nil)
  private let log: Logger

  /// Connects to Redis. The node enters the cluster with ``start(_:)``.
  /// - Parameters:
  ///   - node: the node's name.
  ///   - kicked: receives the tokens of kicked users of other nodes.
  init(
    _ settings: ClusterSettings, node id: NodeID, kicked: Guarded<KickedTokens>, log: Logger
  ) async throws(StartError) {
    let client: NodeClient
    do { client = NodeClient(tls: try TLSContext(trusting: settings.authorities.map { .file($0) } ?? .system)) } catch {
      throw .cluster(reason: "the authorities in \(settings.authorities ?? "the system") can't be read: \(error)")
    }
    let redis: RedisClient
    let secret: String
    var redisSettings = RedisClient.Settings()
    redisSettings.tag = ClusterKeys.tag
    do { redis = try RedisClient(settings.store, settings: redisSettings, log: log) } catch {
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
    let (signature, reach) = (NodeSignature(secret: secret), NodeReach())
    self.client = client
    self.secret = Array(secret.utf8)
    let process = UInt64.random(in: 0...(.max))
    self.process = process
    let node = ClusterNode(
      id, process: process, store: store,
      .init(
        report: { callbacks.withLock { $0 }?.report() ?? NodeReport(address: "", headroom: 0) },
        ask: { member, request in
          guard let http = Self.post(PromiseQuestion(request), to: NodesAPI.promises, from: id, signature) else {
            return false
          }
          return (try? await client.send(http, to: member.report.address, within: Self.promiseTime))?.status == 204
        },
        isReachable: { member in await reach.isReachable(member, by: client) },
        adopt: { lease in await callbacks.withLock { $0 }?.adopt([lease.room]) },
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

  /// Returns a signed message to another node; nil if it can't be encoded.
  static func post(
    _ message: some Encodable, to target: String, from node: NodeID, _ signature: NodeSignature
  ) -> HTTPRequest? {
    guard var request = HTTPRequest(posting: message, to: target) else { return nil }
    signature.sign(&request, as: node, at: RoomTime.now.unix)
    return request
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

  /// Interval at which a node that has a new lease looks whether the rooms of the last one have ended.
  private static let settlingInterval = Duration.milliseconds(50)

  /// Lets media workers send only as long as this node may keep its rooms. After the end of a lease they send again with the next
  /// one, once the rooms of the last one have ended.
  /// - Parameter isSettled: returns whether this node owns all rooms that it runs.
  func limit(_ authority: SendingAuthority, isSettled: @escaping @Sendable () async -> Bool) {
    let task = Task { [node] in
      var last: Incarnation?
      for await tenure in node.tenures {
        while tenure.incarnation != last, !(await isSettled()) {
          guard (try? await Task.sleep(for: Self.settlingInterval)) != nil else { return }
        }
        last = tenure.incarnation
        authority.set(until: tenure.end)
      }
    }
    limiting.withLock { $0 = task }
  }

  /// Leaves the cluster: other nodes restore the rooms. The rooms of this one are closed, and everything is stored.
  func stop() async {
    limiting.withLock { $0?.cancel() }
    streams.stop()
    await node.stop()
    await store.redis.close()
    // The callbacks keep the directory of rooms, which keeps the cluster.
    callbacks.withLock { $0 = nil }
  }

  // MARK: Ownership

  func owns(_ room: RoomName) -> Bool { node.title(of: room) != nil }

  func acquire(_ room: RoomName, or code: ErrorCode) async throws(RoomError) {
    let owner: ClusterNode.Owner
    do throws(ClusterError) { owner = try await node.acquire(room) } catch {
      // A node without a lease owns nothing. Its clients have to find the room's next node.
      throw RoomError(code, "\(error); try again in a second", redirect: node.authority == nil ? alternative : nil)
    }
    guard case .there(let member) = owner else { return }
    throw RoomError(
      code, "the room is at node \(member.incarnation.node); connect to it", redirect: Self.signallingURL(of: member))
  }

  func isOpen(_ room: RoomName) async throws(RoomError) -> Bool {
    do throws(ClusterError) { return try await node.owner(of: room, isRestored: true) != nil } catch {
      throw RoomError(.updateRoomFailed, "\(error); try again in a second")
    }
  }

  func elsewhere(_ room: RoomName) async -> String? {
    if case .there(let member) = try? await node.owner(of: room) { return Self.signallingURL(of: member) }
    return alternative
  }

  var alternative: String? { alternativeMember.flatMap(Self.signallingURL) }

  /// Another member that could open a room; nil if there is none.
  var alternativeMember: ClusterMember? {
    var membership = node.membership
    // By name: a node that has lost its lease has no incarnation, and the list has its last one.
    let region = membership.members.values.first { $0.incarnation.node == node.id }?.report.region ?? ""
    membership.members = membership.members.filter { $0.key.node != node.id }
    var generator = SystemRandomNumberGenerator()
    return try? Placement.member(of: membership, in: region, using: &generator)
  }

  func load(_ rooms: [RoomName]) async throws -> StoredServer { try await self.rooms.load(rooms) }

  func release(_ room: RoomName) async {
    await settle()
    await node.release(room)
  }

  private func settle() async { await callbacks.withLock { $0 }?.settle() }

  /// What this node needs to store its rooms' events.
  var sharedEvents: SharedEvents {
    SharedEvents(
      store.redis, incarnation: { [node] in node.incarnation },
      isDelegate: { [node] in node.incarnation.map { node.membership.isDelegate($0) } ?? false },
      fence: { [node] in node.title(of: $0)?.fence })
  }

  static func signallingURL(of member: ClusterMember) -> String? {
    let address = member.report.address
    guard address.hasPrefix("http") else { return nil }
    return "ws" + address.dropFirst("http".count) + signalling
  }

  // MARK: Moving rooms

  /// The whereabouts of a room that this node gave.
  enum Whereabouts: Sendable {
    case elsewhere(ClusterMember)
    /// This node has taken it back.
    case here
    /// Redis does not answer. The room's owner is this node, until its lease ends.
    case unknown
  }

  /// Timeout of the other node's answer, which comes once the rooms are restored.
  private static let offerTime = Duration.seconds(5)
  /// How often a node tries to take a room back, and the pause between two attempts.
  private static let attempts = 60
  private static let attemptPause = Duration.milliseconds(500)

  /// Gives rooms to another member. Stop and store them before.
  /// - Returns: where each room is. A room that this node does not own is missing.
  func give(_ rooms: [RoomName], to member: ClusterMember) async -> [RoomName: Whereabouts] {
    await settle()
    let handovers = rooms.compactMap { node.give($0) }
    guard !handovers.isEmpty else { return [:] }
    let accepted = Set(await offer(handovers, to: member))
    return await withTaskGroup(of: (RoomName, Whereabouts).self) { group in
      for handover in handovers {
        let isAccepted = accepted.contains(handover.room)
        group.addTask { (handover.room, isAccepted ? .elsewhere(member) : await self.takeBack(handover)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func offer(_ handovers: [Handover], to member: ClusterMember) async -> [RoomName] {
    guard let request = Self.post(RoomOffer(handovers), to: NodesAPI.handovers, from: node.id, signature) else { return [] }
    do throws(NodeClient.Failure) {
      let answer = try await client.send(request, to: member.report.address, within: Self.offerTime)
      guard answer.status == 200 else {
        log.info("a node takes no rooms", metadata: ["node": "\(member.incarnation.node)", "status": "\(answer.status)"])
        return []
      }
      return (try? JSONDecoder().decode(RoomOffer.Accepted.self, from: Data(answer.body)))?.rooms ?? []
    } catch {
      log.warning("a node does not answer", metadata: ["node": "\(member.incarnation.node)", "reason": "\(error)"])
      return []
    }
  }

  /// Takes a room back, unless the other node has it although it did not say so.
  private func takeBack(_ handover: Handover) async -> Whereabouts {
    for _ in 0..<Self.attempts {
      switch try? await node.receive(handover) {
      case .here: return .here
      case .there(let member): return .elsewhere(member)
      case nil: try? await Task.sleep(for: Self.attemptPause)
      }
    }
    return .unknown
  }

  /// Takes rooms that another node gives, and restores them.
  /// - Returns: the rooms that this node owns now; nil if it takes none, because it drains or is full.
  func receive(_ handovers: [Handover]) async -> [RoomName]? {
    guard let callbacks = callbacks.withLock({ $0 }), callbacks.report().headroom > 0 else { return nil }
    var rooms: [RoomName] = []
    for handover in handovers {
      if case .here = try? await node.receive(handover) { rooms.append(handover.room) }
    }
    await callbacks.adopt(rooms)
    return rooms
  }

  // MARK: Requests between nodes

  /// Returns a member by its incarnation; nil if it has ended, or is not known yet.
  func member(_ incarnation: Incarnation) -> ClusterMember? { node.membership.members[incarnation] }

  /// Signs a request to another node.
  func sign(_ request: inout HTTPRequest) { signature.sign(&request, as: node.id, at: RoomTime.now.unix) }

  /// Returns the node that sent a request; nil if it came from elsewhere.
  func sender(of request: HTTPRequest) -> NodeID? { signature.sender(of: request, at: RoomTime.now.unix) }

  /// The headers that belong to one connection.
  static let ownHeaders: Set<String> = [
    "host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer", "date",
    "proxy-connection", "expect", "accept-encoding", NodeSignature.header,
  ]

  /// Passes a request to another node, and returns its answer.
  /// - Parameter time: timeout of the answer.
  func forward(
    _ request: HTTPRequest, target: String? = nil, to member: ClusterMember, within time: Duration = .seconds(10)
  ) async -> HTTPResponse {
    var passed = request
    passed.target = target ?? request.target
    passed.headers.removeAll { Self.ownHeaders.contains($0.name) }
    sign(&passed)
    do throws(NodeClient.Failure) {
      var response = try await client.send(passed, to: member.report.address, within: time)
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
