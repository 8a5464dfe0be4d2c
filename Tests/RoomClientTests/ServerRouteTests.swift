import Testing

@testable import RoomClient

@Suite("The servers of a session")
struct ServerRouteTests {
  private static func address(_ host: String, _ scheme: String = "ws") throws -> SignalAddress {
    try SignalAddress("\(scheme)://\(host)/v1/signal")
  }

  /// Takes the next spare. Returns its host; nil if there is none.
  private static func take(_ route: inout ServerRoute) -> String? { route.takeSpare() ? route.address.host : nil }

  @Test("each spare is tried once, and then the server that the app named; less secure ones are ignored")
  func spares() throws {
    var route = ServerRoute(try Self.address("app", "wss"))
    var hosts = [Self.take(&route)]
    #expect(!route.hasSpare)
    route.setSpares(["ws://plain/v1/signal", "not a URL", "wss://one/v1/signal", "wss://one/v1/signal", "wss://app/v1/signal"])
    hosts += [Self.take(&route), Self.take(&route)]
    route.setSpares(["wss://two/v1/signal"])
    hosts += [Self.take(&route), Self.take(&route)]
    #expect(hosts == [nil, "one", nil, "two", "app"])
    // The number of redirects in a row is limited.
    route.setSpares(["wss://three/v1/signal"])
    hosts = [Self.take(&route)]
    route.settled()
    hosts.append(Self.take(&route))
    #expect(hosts == [nil, "three"])
  }

  @Test("a server that does not answer is dropped, and the number of spares is limited")
  func bounds() throws {
    var route = ServerRoute(try Self.address("app"))
    route.setSpares((0..<100).map { "ws://s\($0)/v1/signal" })
    var count = 0
    while let next = route.nextSpare, count < 100 {
      route.drop(next)
      count += 1
    }
    #expect(count == 4)
  }

  @Test("a server that has ended, and that all others still name, does not keep the session from them")
  func ended() throws {
    var route = ServerRoute(try Self.address("app"))
    route.setSpares(["ws://dead/v1/signal", "ws://other/v1/signal"])
    var tried: [String] = []
    for _ in 0..<3 {
      // Whoever is alive names the dead one.
      if route.mayFollow, route.follow("ws://dead/v1/signal") { route.redirected() }
      while route.takeSpare() || route.goBack() { tried.append(route.address.host) }
      route.settled()
      tried.append(route.address.host)
    }
    #expect(tried.contains("app") && tried.contains("other"))
    // After each wait, there is another one than the dead one.
    for _ in 0..<3 {
      let before = route.address
      _ = route.goBack()
      tried.append(route.address.host)
      #expect(route.address != before)
    }
  }
}
