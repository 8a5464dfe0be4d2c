import RoomRTMP
import Testing

@testable import RoomOriginServer
@testable import RoomServer

@Suite("Publish URLs of the server's own origin")
struct OwnAddressesTests {
  @Test(
    "names match with any port, addresses with the port of their scheme",
    arguments: [
      ("rtmp://origin/live/a", true), ("rtmps://origin:7/live/a", true), ("rtmp://LIVE.example.org/live/a", true),
      ("rtmp://127.0.0.1:1935/live/a", true), ("rtmps://127.0.0.1:1936/live/a", true), ("rtmp://[::1]/live/a", true),
      ("rtmps://127.0.0.1:1935/live/a", false), ("rtmp://127.0.0.1:1936/live/a", false), ("rtmp://192.0.2.1/live/a", true),
      ("rtmp://192.0.2.2/live/a", false), ("rtmp://example.org/live/a", false),
    ])
  func own(url: String, isOwn: Bool) throws {
    var configuration = ServerConfiguration(keys: [:])
    configuration.origin.names = ["live.example.org"]
    configuration.media.announced = ["192.0.2.1"]
    let addresses = OwnAddresses(configuration, port: 1935, securePort: 1936)
    #expect(addresses.own(try #require(RTMPAddress(url))) == isOwn)
    // Without RTMP only names match.
    let none = OwnAddresses(configuration, port: nil, securePort: nil)
    #expect(none.own(try #require(RTMPAddress(url))) == url.contains(/origin|LIVE/))
  }
}
