/// Keeps this node's edge of a room open, for clients whose conversation does not run over it. Ends when it is freed.
final class EdgeHold: Sendable {
  private let edge: Edge

  /// Nil if the edge is over.
  init?(_ edge: Edge) {
    guard edge.hold() else { return nil }
    self.edge = edge
  }

  deinit { edge.release() }
}
