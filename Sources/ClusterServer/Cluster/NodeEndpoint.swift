import Foundation
import RoomCluster
import RoomHTTPServer
import RoomServer

extension Endpoint {
  /// An operation for other nodes of the cluster: a request without the signature of one is refused.
  static func forNodes(
    _ method: String, _ path: String, _ cluster: Cluster,
    answer: @escaping @Sendable (_ request: HTTPRequest, _ names: [String], _ sender: NodeID) async -> HTTPResponse
  ) -> Endpoint {
    Endpoint(
      method, path, access: .open,
      action: .answer { request, names in
        guard let sender = cluster.sender(of: request) else {
          return .error(401, HTTPError.unauthorised("only nodes of the cluster send this"))
        }
        return await answer(request, names, sender)
      })
  }
}

extension HTTPRequest {
  /// A message to another node; nil if it can't be encoded.
  init?(posting message: some Encodable, to target: String) {
    guard let body = try? JSONEncoder().encode(message) else { return nil }
    self.init(method: "POST", target: target, headers: [("content-type", "application/json")], body: [UInt8](body))
  }
}
