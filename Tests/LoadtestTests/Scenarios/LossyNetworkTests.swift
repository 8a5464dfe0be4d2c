import RoomWebRTC
import Testing

@testable import RoomLoadtest

@Suite("The bots' lossy network")
struct LossyNetworkTests {
  @Test("a rate alone puts the bots behind a link, a burst without loss does not")
  func isNeeded() throws {
    var values = ParameterValues(Parameter.common)
    #expect(LossyNetwork(values) == nil)
    try values.set("burst", to: 5)
    #expect(LossyNetwork(values) == nil)
    try values.set("rate", to: 500)
    let network = try #require(LossyNetwork(values))
    let port = TransportAddress(ipv4: 0x7F00_0001, port: 9)
    #expect(network.detour(for: port) != port)
    network.stop()
  }

  @Test("every scenario has the link's parameters, also churn")
  func everyPlay() throws {
    for kind in PlayKind.allCases {
      let names = (kind.type.parameters + Parameter.common).map(\.name)
      #expect(Set(names).count == names.count, "\(kind) has two parameters of one name")
    }
  }
}
