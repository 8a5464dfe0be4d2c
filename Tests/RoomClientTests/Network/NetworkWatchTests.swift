import Foundation
import Glibc
import RoomCLinux
import RoomCNetwork
import RoomTestSupport
import RoomWebRTC
import Testing

@testable import RoomClient

@Suite("The machine's network, as the kernel reports it", .timeLimit(.minutes(1)))
struct NetworkWatchTests {
  @Test("only another local address is a change; a lost route is none")
  func path() {
    var path = ServerPath()
    #expect(path.update("192.0.2.1") == nil)
    #expect(path.update("192.0.2.1") == nil)
    #expect(path.update(nil) == nil)
    #expect(path.update("192.0.2.1") == nil)
    #expect(path.update("198.51.100.7") == NetworkChange(from: "192.0.2.1", to: "198.51.100.7"))
    #expect(path.update("198.51.100.7") == nil)
  }

  @Test("the kernel names the address that reaches a server")
  func source() {
    #expect(ServerPath.source(toward: TransportAddress(ipv4: 0x7F00_0001, port: 9)) == "127.0.0.1")
  }

  @Test(
    "a new address wakes the watch, and a network without a route has no source",
    .enabled(if: getuid() == 0, "a network namespace needs root"))
  func namespace() async throws {
    let found = Shared<(before: String?, woke: Bool, after: String?)?>(nil)
    let thread = Thread {
      // The namespace is the thread's own, and ends with it.
      let namespace = network_new()
      guard namespace >= 0, network_enter(namespace) == 0 else { return }
      let socket = linux_network_watch()
      let server = TransportAddress(ipv4: 0x0A09_0002, port: 9)
      let before = ServerPath.source(toward: server)
      let device = network_tun("tun0", 0x0A09_0001, 24, 1400)
      let woke = linux_network_wait(socket) == 0
      let after = ServerPath.source(toward: server)
      for descriptor in [device, socket, namespace] { close(descriptor) }
      found.value = (before, woke, after)
    }
    thread.start()
    let (before, woke, after) = try await eventually("the watch wakes") { found.value }
    #expect(before == nil)
    #expect(woke)
    #expect(after == "10.9.0.1")
  }
}
