/// Why no node can open a room.
public enum PlacementRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no node whose report is recent.
  case noNode
  /// All nodes drain.
  case draining
  /// The room needs more of a resource than any node has when it is empty.
  case tooLarge(NodeResources.Kind)
  /// All nodes are full; this resource is the scarcest on most of them.
  case full(NodeResources.Kind)

  public var description: String {
    switch self {
    case .noNode: "no node has reported recently"
    case .draining: "all nodes drain"
    case .tooLarge(let kind): "no node has the \(kind) that the room needs"
    case .full(let kind): "all nodes are full: \(kind)"
    }
  }
}
