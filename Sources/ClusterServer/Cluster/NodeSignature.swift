import RoomCluster
import RoomDigests
import RoomHTTPServer
import RoomServer

/// Authenticates the requests between nodes: an HMAC under the secret that the cluster's store contains.
///
/// The header is `node;time;signature`, the time in ms since 1970. The signature covers the method, the target with its query, the
/// time and the body.
struct NodeSignature: Sendable {
  static let header = "x-roomserver-node"
  /// The largest difference of two nodes' clocks; ms. A recorded request can be repeated for this long, by whoever could read it.
  static let tolerance: Int64 = 30_000

  private let secret: [UInt8]

  init(secret: String) { self.secret = Array(secret.utf8) }

  /// Returns the value of the header.
  func value(node: NodeID, method: String, target: String, body: [UInt8], at time: Int64) -> String {
    "\(node);\(time);\(signature(node, method, target, body, time).hexadecimal)"
  }

  /// Adds the header to a request.
  func sign(_ request: inout HTTPRequest, as node: NodeID, at time: Int64) {
    request.headers.append(
      (
        Self.header,
        value(node: node, method: request.method, target: request.uri, body: request.body, at: time)
      ))
  }

  /// Returns the node that sent a request; nil if no node of the cluster did.
  func sender(of request: HTTPRequest, at now: Int64) -> NodeID? {
    guard let value = request.header(Self.header) else { return nil }
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 3, let node = NodeID(String(parts[0])), let time = Int64(parts[1]),
      now.subtractingReportingOverflow(time).partialValue.magnitude <= Self.tolerance.magnitude
    else { return nil }
    let expected = signature(node, request.method, request.uri, request.body, time)
    return Digest.isEqual(Array(expected.hexadecimal.utf8), Array(parts[2].utf8)) ? node : nil
  }

  private func signature(_ node: NodeID, _ method: String, _ target: String, _ body: [UInt8], _ time: Int64) -> [UInt8] {
    let digest = Digest.sha256.digest(of: body).hexadecimal
    return Digest.sha256.hmac(of: Array("\(node)\n\(time)\n\(method)\n\(target)\n\(digest)".utf8), key: secret)
  }
}
