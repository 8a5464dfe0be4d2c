import RoomHTTPServer
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Signatures of requests between nodes")
struct NodeSignatureTests {
  private let signature = NodeSignature(secret: "a secret of the cluster")

  private func request(_ change: (inout HTTPRequest) -> Void = { _ in }) -> HTTPRequest {
    let body = Array(#"{"name":"room"}"#.utf8)
    var request = HTTPRequest(
      method: "POST", target: "/v1/rooms", query: "a=1",
      headers: [
        (
          NodeSignature.header,
          signature.value(node: "n1", method: "POST", target: "/v1/rooms?a=1", body: body, at: 1_000_000)
        )
      ], body: body)
    change(&request)
    return request
  }

  @Test("a signed request names its node, within the tolerance of clocks")
  func valid() {
    for now in [970_000, 1_000_000, 1_030_000] as [Int64] { #expect(signature.sender(of: request(), at: now) == "n1") }
    for now in [969_999, 1_030_001, 0, .min, .max] as [Int64] { #expect(signature.sender(of: request(), at: now) == nil) }
  }

  @Test("a request that was changed, or signed with another secret, has no sender")
  func changed() {
    let changes: [(inout HTTPRequest) -> Void] = [
      { $0.method = "DELETE" }, { $0.target = "/v1/rooms/x" }, { $0.query = "" }, { $0.body.append(0) }, { $0.headers = [] },
      { $0.headers[0].value = $0.headers[0].value.replacing("n1", with: "n2") },
      { $0.headers[0].value = $0.headers[0].value.replacing("1000000", with: "1000001") },
      { $0.headers[0].value = "" }, { $0.headers[0].value = ";;" }, { $0.headers[0].value = "n1;9223372036854775807;00" },
    ]
    for change in changes { #expect(signature.sender(of: request(change), at: 1_000_000) == nil) }
    #expect(NodeSignature(secret: "another").sender(of: request(), at: 1_000_000) == nil)
  }
}
