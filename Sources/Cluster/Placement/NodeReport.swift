import RoomProtocol

/// The name of a node in a cluster: 1 to 64 of the characters that ``NameRule`` allows.
public struct NodeName: Identifier {
  public let rawValue: String
  /// Creates a name from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// The name of a region, such as a data centre: 1 to 64 of the characters that ``NameRule`` allows.
public struct Region: Identifier {
  public let rawValue: String
  /// Creates a name from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// What a node reports of itself to all nodes.
public struct NodeReport: Hashable, Sendable {
  public var node: NodeName
  public var region: Region
  /// Whether the node opens rooms; a draining node does not.
  public var accepts: Bool
  public var capacity: NodeResources
  public var load: NodeResources

  public init(node: NodeName, region: Region, accepts: Bool, capacity: NodeResources, load: NodeResources) {
    self.node = node
    self.region = region
    self.accepts = accepts
    self.capacity = capacity
    self.load = load
  }
}
