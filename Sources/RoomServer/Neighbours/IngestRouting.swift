import RoomProtocol

/// What an entry point of encoders asks the cluster.
package struct IngestRouting: Sendable {
  /// The node that owns a room.
  package struct Owner: Sendable, Hashable {
    package var node: String
    /// The URL of its RTMP server; nil if it has none.
    package var rtmp: String?

    package init(node: String, rtmp: String?) { (self.node, self.rtmp) = (node, rtmp) }
  }

  /// Returns the other node that owns a room; nil if this node owns it, or nobody does.
  package var owner: @Sendable (RoomName) async throws(RoomError) -> Owner?
  /// Signs a text as this node.
  package var sign: @Sendable (_ text: String) -> String
  /// Returns whether a node of the cluster has signed a text.
  package var isSigned: @Sendable (_ text: String, _ signature: String) -> Bool

  package init(
    owner: @escaping @Sendable (RoomName) async throws(RoomError) -> Owner?, sign: @escaping @Sendable (String) -> String,
    isSigned: @escaping @Sendable (String, String) -> Bool
  ) {
    (self.owner, self.sign, self.isSigned) = (owner, sign, isSigned)
  }
}
