import RoomCluster
import RoomHTTPServer
import RoomWebRTC
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Clients for which a node opens a WebSocket at another one")
struct PassedClientTests {
  private let signature = NodeSignature(secret: "a secret of the cluster")

  private func request(
    _ client: PassedClient = PassedClient(TransportAddress(host: "192.0.2.1", port: 4711), mayOpen: false),
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) -> HTTPRequest {
    var request = HTTPRequest(method: "GET", target: "/rtc", query: "access_token=a b&sdk=js", headers: [])
    client.sign(&request, as: "n1", at: 1_000_000, signature)
    change(&request)
    return request
  }

  private func origin(_ request: HTTPRequest, at now: Int64 = 1_000_000) -> SocketOrigin {
    PassedClient.origin(of: request, at: now, signature)
  }

  @Test("the other node learns the client's address, and whether it may open the room")
  func valid() {
    for host in ["192.0.2.1", "2001:db8::1"] {
      let address = TransportAddress(host: host, port: 0)
      #expect(origin(request(PassedClient(address, mayOpen: false))) == .node(client: address))
    }
    let unknown = request(PassedClient(nil, mayOpen: true))
    #expect(origin(unknown, at: 1_030_000) == .node(client: nil))
    #expect(PassedClient(unknown)?.mayOpen == true && PassedClient(request())?.mayOpen == false)
    #expect(origin(HTTPRequest(method: "GET", target: "/rtc", headers: [])) == .client)
    let edge = Incarnation(node: "n1", epoch: 7, process: 0xFEED)
    let atEdge = request(PassedClient(nil, mayOpen: false, edge: edge))
    #expect(origin(atEdge) == .node(client: nil) && PassedClient(atEdge)?.edge == edge && PassedClient(unknown)?.edge == nil)
  }

  @Test("who changes the address, the order, the path or the token, or repeats a request later, is no node")
  func forged() {
    func header(_ change: @escaping (String) -> String) -> (inout HTTPRequest) -> Void {
      { $0.headers[0].value = change($0.headers[0].value) }
    }
    let changes: [(inout HTTPRequest) -> Void] = [
      { $0.target = "/rtc/v1" }, { $0.query = "access_token=b" }, header { $0.replacing("192.0.2.1", with: "192.0.2.2") },
      header { $0.replacing(";join;", with: ";open;") }, header { $0.replacing("n1", with: "n2") }, header { $0 + "0" },
      header { _ in "" }, header { _ in ";;" }, header { _ in "192.0.2.1;join;" }, header { _ in "-;open;n1;1000000;" },
      header { "host\($0.drop { $0 != ";" })" }, header { $0.replacing(";join;", with: ";join@n1:7:feed;") },
      header { $0.replacing(";join;", with: ";join@;") },
    ]
    let client = PassedClient(TransportAddress(host: "192.0.2.1", port: 0), mayOpen: false)
    for change in changes { #expect(origin(request(client, change)) == .forged) }
    #expect(origin(request(), at: 1_030_001) == .forged)
  }
}
