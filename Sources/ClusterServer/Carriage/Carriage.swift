import Logging
import NIOCore
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomServer
import Synchronization

/// Lets clients that know one URL join through any node: their WebSocket ends here, and one from here to the node that owns their room
/// carries the messages of both directions.
///
/// The media of the clients is at this node, if it is an edge, or else at the owner, whose addresses the descriptions of it name. Each
/// direction reads a message only after the one before has left, so a side that does not read stops the other.
final class Carriage: Sendable {
  /// Who serves a client.
  private enum Destination {
    /// - isNew: whether this node has just become the owner of the room.
    case here(isNew: Bool)
    /// - opens: whether that node becomes the owner of the room.
    case there(ClusterMember, opens: Bool)
  }

  private struct Socket {
    var socket: NodeSocket
    var owner: Incarnation
  }

  /// Maximum number of clients.
  private static let limit = 4096
  /// How often a client's room is looked for, and the pause before the next attempt.
  private static let attempts = 3
  private static let pause = Duration.milliseconds(100)
  private static let connectTime = Duration.seconds(3)
  /// The interval between two checks for owners that have ended.
  private static let watch = Duration.milliseconds(500)

  private let cluster: Cluster
  private let directory: RoomDirectory
  private let configuration: ServerConfiguration
  /// Have the media of the clients; nil if the owners of the rooms have it.
  private let edges: Edges?
  let counters: CarriageCounters
  private let log: Logger
  private let open = Guarded<[ObjectIdentifier: Socket]>([:])
  private let watching = Guarded<Task<Void, Never>?>(nil)

  init(
    _ cluster: Cluster, _ directory: RoomDirectory, _ configuration: ServerConfiguration, _ edges: Edges?,
    counters: CarriageCounters, log: Logger
  ) {
    self.cluster = cluster
    self.directory = directory
    self.configuration = configuration
    self.edges = edges
    self.counters = counters
    self.log = log
    let task = Task { [weak self] in
      while (try? await Task.sleep(for: Self.watch)) != nil { self?.closeOrphans() }
    }
    watching.withLock { $0 = task }
  }

  /// Closes the sockets to nodes that are no members any more, such as those whose machine has stopped without a notice.
  private func closeOrphans() {
    let sockets = open.withLock { Array($0.values) }
    for socket in sockets where cluster.member(socket.owner) == nil { socket.socket.close() }
  }

  func stop() { watching.withLock { $0.take() }?.cancel() }

  // MARK: Requests

  /// Returns the endpoints of a door with answers that are the same at each node.
  func endpoints(of door: any RoomDoor) -> [Endpoint] {
    door.endpoints.map { endpoint in
      var routed = endpoint
      switch endpoint.action {
      case .signalling(let refusal):
        routed.action = .signalling { request in self.refusal(of: request, door.room(of: request)) ?? refusal(request) }
      case .answer(let local):
        routed.action = .answer { request, names in
          let answer = await local(request, names)
          guard answer.status == 200, !self.configuration.autoCreateRooms, let room = door.room(of: request) else {
            return answer
          }
          do throws(ClusterError) {
            return try await self.cluster.node.owner(of: room, isRestored: true) == nil ? door.missingRoom : answer
          } catch { return answer }
        }
      case .prompt, .receive: break
      }
      return routed
    }
  }

  /// Returns the answer to a node that takes this one for the owner of a room, and is wrong; nil for any other request.
  private func refusal(of request: HTTPRequest, _ room: RoomName?) -> HTTPResponse? {
    guard request.isPassedOn, let room, PassedClient(request)?.mayOpen == false, !cluster.owns(room) else { return nil }
    return OwnerRoute.refusal
  }

  // MARK: Clients

  /// Serves a client's socket until it is closed: by the door if this node owns the room or becomes its owner, else by another node.
  // Inlined, its frame would be in that of every connection of a client.
  @inline(never)
  func serve(_ socket: SignalSocket, _ request: HTTPRequest, at door: any RoomDoor) async {
    guard let room = door.room(of: request) else { return await door.serve(socket, request) }
    guard !request.isPassedOn else {
      counters.served.add(1, ordering: .relaxed)
      await door.serve(socket, request)
      counters.served.subtract(1, ordering: .relaxed)
      return
    }
    for attempt in 0..<Self.attempts where socket.isConnected {
      if attempt > 0 { try? await Task.sleep(for: Self.pause) }
      switch await destination(of: room) {
      case .here(let isNew):
        await door.serve(socket, request)
        // A client that was refused has not opened it.
        if isNew { await directory.releaseUnlessOpen(room) }
        return
      case .there(let member, let opens):
        guard counters.carried.load(ordering: .relaxed) < Self.limit else { return refuse(socket) }
        // A room that the other node opens only then has no edges yet.
        let hold = opens ? nil : await edges?.hold(room, at: member)
        let edge = hold == nil ? nil : cluster.node.incarnation
        defer { withExtendedLifetime(hold) {} }
        if let owner = await connect(request, to: member, opens, edge) { return await carry(socket, to: owner, at: member) }
      case nil: break
      }
    }
    refuse(socket)
  }

  private func refuse(_ socket: SignalSocket) {
    counters.refused.add(1, ordering: .relaxed)
    socket.close(.unavailable)
  }

  /// Returns who serves clients of a room. Makes this node the owner of a room without one. Nil if that is not known now.
  private func destination(of room: RoomName) async -> Destination? {
    let owner: ClusterNode.Owner?
    do throws(ClusterError) { owner = try await cluster.node.owner(of: room) } catch {
      log.info("the node of a room is not known", metadata: ["room": "\(room)", "reason": "\(error)"])
      return nil
    }
    switch owner {
    case .here: return .here(isNew: false)
    case .there(let member): return .there(member, opens: false)
    case nil: break
    }
    let opensNone = directory.isDraining.withLock { $0 } || !cluster.node.isReady
    if opensNone, let member = cluster.alternativeMember { return .there(member, opens: true) }
    do throws(RoomError) { try await directory.prepare(room, or: .joinFailed) } catch {
      // Another node was faster; or this one refuses the client.
      return error.redirect == nil ? .here(isNew: false) : nil
    }
    return .here(isNew: true)
  }

  /// Opens a socket to another node, by the client's request; nil if that node refuses it or does not answer.
  /// - Parameter edge: this node, if it has the client's media.
  private func connect(
    _ request: HTTPRequest, to member: ClusterMember, _ opens: Bool, _ edge: Incarnation?
  ) async -> NodeSocket? {
    var passed = HTTPRequest(method: "GET", target: request.target, query: request.query, headers: [])
    passed.headers = request.headers.filter { header in
      !Cluster.ownHeaders.contains(header.name) && !header.name.hasPrefix("sec-websocket")
    }
    cluster.sign(PassedClient(request.client, mayOpen: opens, edge: edge), in: &passed)
    do throws(NodeClient.Failure) {
      return try await NodeSocket.open(
        passed, to: member.report.address, by: cluster.client.tls, within: Self.connectTime,
        silence: configuration.keepAlive.silence, isBinary: true)
    } catch {
      log.warning(
        "a client can't be carried to its room",
        metadata: ["node": "\(member.incarnation.node)", "client": "\(request.client?.host ?? "")", "reason": "\(error)"])
      return nil
    }
  }

  private func carry(_ socket: SignalSocket, to owner: NodeSocket, at member: ClusterMember) async {
    counters.carried.add(1, ordering: .relaxed)
    open.withLock { $0[ObjectIdentifier(owner)] = Socket(socket: owner, owner: member.incarnation) }
    let isGone = Guarded(false)
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await message in socket.messages {
          if !socket.isClosing { _ = await owner.pass(message) }
          socket.consumed()
        }
        isGone.withLock { $0 = true }
        owner.close(.sessionEnded)
      }
      for await message in owner.messages {
        guard await socket.pass(SignalFrame.message(message.readableBytesView, isBinary: true)) else { break }
        owner.consumed()
      }
      if owner.closeReason == nil, !isGone.withLock({ $0 }) { counters.lost.add(1, ordering: .relaxed) }
      // A client whose room's node is lost returns, to this node or another one, which knows the next owner.
      socket.close(owner.closeReason ?? .serverStopping)
    }
    _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(owner)) }
    owner.close()
    counters.carried.subtract(1, ordering: .relaxed)
  }
}
