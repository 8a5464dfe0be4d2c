import RoomHTTPServer

/// The query by which one node forwards a publish to the node that owns its room: the encoder's own, and a signature. A publish
/// that has a signature, valid or not, is never forwarded again.
enum ForwardedQuery {
  private static let signature = "nodesignature"

  /// Returns whether a publish claims to be forwarded.
  static func isClaimed(by query: String) -> Bool { QueryString.value(signature, in: query) != nil }

  /// Returns the query to forward.
  /// - Parameter sign: signs a text as this node.
  static func text(_ query: String, room: String, sign: (String) -> String) -> String {
    "\(query)&\(signature)=\(sign(signed(room, query)))"
  }

  /// Returns whether a node of the cluster has forwarded a publish.
  /// - Parameter isSigned: returns whether a node has signed a text.
  static func isForwarded(_ query: String, room: String, isSigned: (_ text: String, _ signature: String) -> Bool) -> Bool {
    guard let mark = query.ranges(of: "&\(signature)=").last else { return false }
    return isSigned(signed(room, String(query[..<mark.lowerBound])), String(query[mark.upperBound...]))
  }

  private static func signed(_ room: String, _ query: String) -> String { "/room/\(room)?\(query)" }
}
