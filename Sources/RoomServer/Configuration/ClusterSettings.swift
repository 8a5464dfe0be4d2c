public import RoomCluster
import RoomDigests
public import RoomRedis

/// How this server is a node of a cluster.
public struct ClusterSettings: Sendable, Hashable {
  /// The Redis that all nodes share.
  public var store: RedisURL
  /// The URL at which clients and other nodes reach this one: `http://` or `https://`. Nil means the address and port of HTTP.
  public var address: String?
  /// A PEM file of the authorities of other nodes' certificates, for addresses with `https://`. Nil means those of the system.
  public var authorities: String?
  /// The region of the node; nodes with the same region share rooms first.
  public var region = ""
  /// The UDP port of the links to other nodes; 0 lets the kernel choose.
  public var linkPort: UInt16 = 0
  /// Whether this node serves clients of rooms of other nodes, instead of redirecting them.
  public var isEdge = false
  /// The maximum number of edges that the owner of a room, or an edge of it, sends a track to: 1 to 32. Further edges get it from edges.
  public var edgeFanOut = ClusterSettings.standardFanOut
  package static let standardFanOut = 8
  /// The node's name. Nil means a random one, which the data directory keeps.
  public var node: NodeID?

  public init(store: RedisURL) { self.store = store }

  /// Returns the name of the node: the given one, or that of the data directory.
  package func nodeID(in data: DataDirectory?) throws(StartError) -> NodeID {
    if let node { return node }
    let random = "node-" + (0..<6).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    let text = try data?.text("node", initially: random) ?? random
    guard let node = NodeID(text) else { throw .cluster(reason: "\(text.prefix(64)) is no name of a node") }
    return node
  }

  /// Returns the validation error of an address; nil if it is valid.
  public static func validationError(address: String) -> String? {
    address.wholeMatch(of: /https?:\/\/[^\s\/?#]+/) != nil ? nil : "must be a URL such as http://10.0.0.7:8080, without a path"
  }
}
