import Glibc
import RoomLossyLink
import RoomPeers
import RoomServer
import Testing

@testable import RoomClient

/// Whether this machine has an IPv6 loopback address; prints a note if it has none.
private let hasIPv6: Bool = {
  let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
  defer { if descriptor >= 0 { close(descriptor) } }
  var address = sockaddr_in6()
  address.sin6_family = sa_family_t(AF_INET6)
  address.sin6_addr = in6addr_loopback
  let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
  let bound = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
  }
  if !bound { print("skipped: this machine has no IPv6 loopback address") }
  return bound
}()

@Suite("Servers at other addresses", .serialized)
struct AddressTests {
  /// Sends a picture from one client to the other.
  private func exchange(_ stage: Stage, url: String? = nil, options: RoomOptions = .init()) async throws {
    let url = url ?? stage.url
    let ada = try await Room.connect(to: url, token: try stage.token("ada"), options: options)
    let bob = try await Room.connect(to: url, token: try stage.token("bob"), options: options)
    let theirs = bob.events()
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let track = try await subscribed(bob, theirs)
    try await receive(15, from: track.frames, "frames")
    await ada.leave()
    await bob.leave()
  }

  @Test(
    "signalling and media over IPv6 only", .enabled(if: hasIPv6), arguments: [MediaProtocol.udp, .tcp])
  func overIPv6(mediaProtocol: MediaProtocol) async throws {
    let stage = try await Stage {
      $0.host = "::1"
      $0.media.bind = ["::1"]
    }
    try await exchange(
      stage, url: "ws://[::1]:\(stage.server.port)/v1/signal", options: RoomOptions(mediaProtocol: mediaProtocol))
    await stage.server.stop()
  }

  @Test(
    "one server for both address families, with a client on each", .enabled(if: hasIPv6), arguments: ["127.0.0.1", "[::1]"])
  func bothFamilies(host: String) async throws {
    let stage = try await Stage {
      $0.host = "::"
      $0.media.bind = ["127.0.0.1", "::1"]
    }
    let family = host == "[::1]"
    var options = RoomOptions()
    options.mediaAddressOverride = { address in
      // The candidate of the other address family is unreachable.
      var address = address
      if address.isIPv4 == family { address.port = 9 }
      return address
    }
    try await exchange(stage, url: "ws://\(host):\(stage.server.port)/v1/signal", options: options)
    await stage.server.stop()
  }

  @Test(
    "behind a NAT clients connect through the announced address, to which no socket is bound",
    arguments: [MediaProtocol.udp, .tcp])
  func announced(mediaProtocol: MediaProtocol) async throws {
    let stage = try await Stage {
      $0.media.bind = ["127.0.0.1"]
      $0.media.announced = ["127.0.0.9"]
    }
    let port = try #require(stage.server.mediaPorts.first)
    // A NAT that maps its own address to the server's, port by port, and gives each client its own port.
    let datagrams = try LossyLink(to: port, on: 0x7F00_0009, port: port, seed: 1)
    let connections = try await TCPRelay.start(to: Int(port), on: "127.0.0.9", port: Int(port))
    try await exchange(stage, options: RoomOptions(mediaProtocol: mediaProtocol))
    let passed = datagrams.counters(.toTarget).arrived
    #expect(mediaProtocol == .udp ? passed > 30 : passed == 0)
    datagrams.stop()
    connections.cut(refusing: true)
    await stage.server.stop()
  }
}
