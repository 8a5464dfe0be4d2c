import RoomProtocol

/// What an entry point of encoders asks the cluster.
struct IngestRouting: Sendable {
  /// The node that owns a room.
  struct Owner: Sendable, Hashable {
    var node: String
    /// The URL of its RTMP server; nil if it has none.
    var rtmp: String?
  }

  /// Returns the other node that owns a room; nil if this node owns it, or nobody does.
  var owner: @Sendable (RoomName) async throws(RoomError) -> Owner?
  /// Signs a text as this node.
  var sign: @Sendable (_ text: String) -> String
  /// Returns whether a node of the cluster has signed a text.
  var isSigned: @Sendable (_ text: String, _ signature: String) -> Bool
}
