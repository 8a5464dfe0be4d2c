import RoomCluster
import RoomHTTPServer
import RoomProtocol
import RoomRTP
import RoomSFU

/// Which node serves a request. A server alone has ``ServesAll``.
package protocol RequestRouting: Sendable {
  /// Serves the clients of rooms at other nodes; nil redirects them.
  var relay: (any SignalRelay)? { get }
  /// Opens WebSockets at all other nodes as well; nil without other nodes.
  var mirrors: (any SocketMirroring)? { get }
  /// Moves rooms during a drain; nil keeps them.
  var moves: (any RoomMoving)? { get }
  /// Returns the endpoints so that each request about a room reaches its node.
  func routed(_ endpoints: [Endpoint]) -> [Endpoint]
  /// Returns the endpoints of a door with answers that are the same at each node.
  func endpoints(of door: any SocketDoor) -> [Endpoint]
  /// Serves a socket, here or by the node of its room.
  func serve(_ socket: SignalSocket, _ request: HTTPRequest, at door: any SocketDoor) async
  /// Returns who opens a WebSocket.
  func origin(of request: HTTPRequest) -> SocketOrigin
  /// Returns the server that has the media of a client of a room of this node.
  func place(of request: HTTPRequest, in room: RoomName) -> MediaPlace
}

/// The server that has the transports of a client.
package enum MediaPlace: Sendable {
  /// At this server.
  case here
  /// At another one, which serves as an edge of the room.
  case annex(MediaAnnexID)
  /// At an edge that has ended.
  case gone

  /// The error for a client whose edge has ended.
  package static let lost = RoomError(.joinFailed, "the node of the connection serves the room no more; try again")

  /// The server that has the media, as an annex of the room; nil for this one.
  /// - Throws: ``lost``.
  package var annex: MediaAnnexID? {
    get throws(RoomError) {
      switch self {
      case .here: nil
      case .annex(let id): id
      case .gone: throw Self.lost
      }
    }
  }
}

/// The routing of a server that runs all rooms.
package struct ServesAll: RequestRouting {
  package var relay: (any SignalRelay)? { nil }
  package var mirrors: (any SocketMirroring)? { nil }
  package var moves: (any RoomMoving)? { nil }
  package func routed(_ endpoints: [Endpoint]) -> [Endpoint] { endpoints }
  package func endpoints(of door: any SocketDoor) -> [Endpoint] { door.endpoints }
  package func serve(_ socket: SignalSocket, _ request: HTTPRequest, at door: any SocketDoor) async {
    await door.serve(socket, request)
  }
  package func origin(of request: HTTPRequest) -> SocketOrigin { .client }
  package func place(of request: HTTPRequest, in room: RoomName) -> MediaPlace { .here }
}

/// Moves rooms to other nodes.
package protocol RoomMoving: Sendable {
  /// Takes the moves that are due.
  func due(_ departures: inout Departures, now: Instant) -> [Departures.Move]
  /// Whether rooms are left that other nodes could take.
  var isPending: Bool { get }
  /// Moves rooms to another node, and their clients with them. Returns the rooms that have another owner now.
  func carryOut(_ move: Departures.Move) async -> [RoomName]
}

/// A part that knows the other nodes' rooms.
package protocol RoutingPart: ServerPart {
  var routing: any RequestRouting { get }
}

extension Assembly {
  package var routing: any RequestRouting {
    get async throws(StartError) {
      for case let part as any RoutingPart in try await parts({ $0 is any RoutingPart.Type }) { return part.routing }
      return ServesAll()
    }
  }
}
