import RoomFuzzSupport
import RoomHTTPServer

@testable import RoomClusterServer

/// Reads a line with the header of a node that passes a client on, and one with the target. Nobody without the secret is a node, and what
/// is read can be signed.
@Sendable func fuzzPassed(_ bytes: UnsafeRawBufferPointer) {
  let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  guard lines.count == 2 else { return }
  var request = HTTPRequest(method: "GET", target: lines[1], headers: [(PassedClient.header, lines[0])])
  let signature = NodeSignature(secret: "the secret of the target")
  precondition(PassedClient.origin(of: request, at: 0, signature) == .forged)
  guard let client = PassedClient(request) else { return }
  request.headers = []
  client.sign(&request, as: "n1", at: 0, signature)
  precondition(PassedClient(request) == client)
  precondition(PassedClient.origin(of: request, at: 0, signature) == .node(client: client.address))
}
