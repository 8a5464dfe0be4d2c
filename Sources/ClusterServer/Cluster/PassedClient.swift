import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomServer
import RoomWebRTC

/// The client for which a node sends a request to another one, or opens a WebSocket there, as a header of the request says.
///
/// The header is `address;order;node;time;signature`. The signature is that of ``NodeSignature``. It covers the address, the order, and the
/// target with its query. The order is `open` or `join`, and `@` with an incarnation if the client's media is at that node.
struct PassedClient: Sendable, Hashable {
  static let header = "x-roomserver-client"
  /// The method in the signature.
  private static let method = "PASS"
  private static let unknown = "-"
  private static let (opening, joining) = ("open", "join")

  /// Nil if the node does not know it.
  var address: TransportAddress?
  /// Whether the other node may open the room. Otherwise it serves the client only if it owns the room.
  var mayOpen: Bool
  /// The node that has the client's media, as an edge of the room; nil for the other node itself.
  var edge: Incarnation?

  init(_ address: TransportAddress?, mayOpen: Bool, edge: Incarnation? = nil) {
    (self.address, self.mayOpen, self.edge) = (address, mayOpen, edge)
  }

  /// Reads the header of a request without its signature; nil if there is none, or an invalid one.
  init?(_ request: HTTPRequest) { self.init(parts: Self.parts(of: request)) }

  private init?(parts: [Substring]) {
    guard parts.count == 3 else { return nil }
    let order = parts[1].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = order.first, [Self.opening, Self.joining].contains(String(first)) else { return nil }
    mayOpen = first == Self.opening
    if order.count > 1 {
      guard let edge = Incarnation(order[1]) else { return nil }
      self.edge = edge
    }
    guard parts[0] != Self.unknown else { return }
    guard let address = TransportAddress(host: String(parts[0]), port: 0) else { return nil }
    self.address = address
  }

  private static func parts(of request: HTTPRequest) -> [Substring] {
    request.header(header)?.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false) ?? []
  }

  /// The text of all members, as the header begins.
  private var text: String {
    "\(address?.host ?? Self.unknown);\(mayOpen ? Self.opening : Self.joining)\(edge.map { "@\($0)" } ?? "")"
  }

  /// Adds the header to a request.
  func sign(_ request: inout HTTPRequest, as node: NodeID, at time: Int64, _ signature: NodeSignature) {
    let value = signature.value(node: node, method: Self.method, target: "\(text);\(request.uri)", body: [], at: time)
    request.headers.append((Self.header, "\(text);\(value)"))
  }

  /// Returns who opens a WebSocket.
  static func origin(of request: HTTPRequest, at now: Int64, _ signature: NodeSignature) -> SocketOrigin {
    guard request.header(header) != nil else { return .client }
    let parts = parts(of: request)
    guard let passed = PassedClient(parts: parts) else { return .forged }
    let signed = HTTPRequest(
      method: method, target: "\(passed.text);\(request.uri)", headers: [(NodeSignature.header, String(parts[2]))])
    return signature.sender(of: signed, at: now) == nil ? .forged : .node(client: passed.address)
  }
}

extension Cluster {
  /// Adds a client to a request to another node, signed.
  func sign(_ client: PassedClient, in request: inout HTTPRequest) {
    client.sign(&request, as: node.id, at: RoomTime.now.unix, signature)
  }

  /// Returns who sends a request: a client, or a node for a client.
  func origin(of request: HTTPRequest) -> SocketOrigin { PassedClient.origin(of: request, at: RoomTime.now.unix, signature) }
}
