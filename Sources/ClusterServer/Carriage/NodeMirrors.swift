import Logging
import NIOCore
import RoomCluster
import RoomHTTPServer
import RoomLinux
import RoomServer

/// Opens WebSockets of clients of this node at all other nodes.
struct NodeMirrors: SocketMirroring {
  let cluster: Cluster
  let silence: Duration
  let log: Logger

  func mirror(
    _ request: HTTPRequest, greeting: ByteBuffer, receive: @escaping @Sendable (ByteBuffer) -> Void
  ) -> any MirroredSocket {
    var passed = HTTPRequest(method: "GET", target: request.target, query: request.query, headers: [])
    passed.headers = request.headers.filter { header in
      !Cluster.ownHeaders.contains(header.name) && !header.name.hasPrefix("sec-websocket")
    }
    passed.client = request.client
    return NodeMirror(self, passed, greeting, receive)
  }
}

/// The WebSockets of one client at the other nodes: one for each member, opened again if it is lost.
private final class NodeMirror: MirroredSocket {
  private struct State {
    var sockets: [Incarnation: NodeSocket] = [:]
    var task: Task<Void, Never>?
  }

  /// How often the members are looked at.
  private static let interval = Duration.milliseconds(500)
  private static let connectTime = Duration.seconds(3)

  private let state = Guarded(State())

  init(
    _ mirrors: NodeMirrors, _ request: HTTPRequest, _ greeting: ByteBuffer, _ receive: @escaping @Sendable (ByteBuffer) -> Void
  ) {
    let task = Task { [state] in
      await withDiscardingTaskGroup { group in
        var opening: Set<Incarnation> = []
        let ended = Guarded<Set<Incarnation>>([])
        while !Task.isCancelled {
          opening.subtract(
            ended.withLock { all in
              defer { all = [] }
              return all
            })
          for member in mirrors.cluster.others where opening.insert(member.incarnation).inserted {
            group.addTask {
              await Self.run(mirrors, request, at: member, greeting, receive, state)
              ended.withLock { _ = $0.insert(member.incarnation) }
            }
          }
          try? await Task.sleep(for: Self.interval)
        }
        group.cancelAll()
      }
    }
    state.withLock { $0.task = task }
  }

  /// Runs the socket at one node until that is closed or is no member any more.
  private static func run(
    _ mirrors: NodeMirrors, _ request: HTTPRequest, at member: ClusterMember, _ greeting: ByteBuffer,
    _ receive: @escaping @Sendable (ByteBuffer) -> Void, _ state: Guarded<State>
  ) async {
    let socket: NodeSocket
    // Signed anew for each node: a signature is valid for a time.
    var fresh = request
    mirrors.cluster.sign(PassedClient(request.client, mayOpen: false), in: &fresh)
    do throws(NodeClient.Failure) {
      socket = try await NodeSocket.open(
        fresh, to: member.report.address, by: mirrors.cluster.client.tls, within: connectTime, silence: mirrors.silence,
        isBinary: true)
    } catch {
      mirrors.log.info(
        "a worker is not known at a node", metadata: ["node": "\(member.incarnation.node)", "reason": "\(error)"])
      return
    }
    socket.send(greeting)
    state.withLock { $0.sockets[member.incarnation] = socket }
    await withTaskCancellationHandler {
      for await message in socket.messages {
        receive(message)
        socket.consumed()
      }
    } onCancel: {
      socket.close()
    }
    state.withLock { $0.sockets[member.incarnation] = nil }
    socket.close()
  }

  func send(_ message: ByteBuffer) {
    let sockets = state.withLock { Array($0.sockets.values) }
    for socket in sockets { socket.send(message) }
  }

  func close() { state.withLock { $0.task }?.cancel() }
}
