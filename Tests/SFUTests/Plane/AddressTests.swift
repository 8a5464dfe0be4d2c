import Glibc
import Testing
import RoomWebRTC

@testable import RoomSFU

/// Whether this machine has an IPv6 loopback address for the tests. Prints a message if not.
let hasIPv6: Bool = {
  if let address = TransportAddress(host: "::1", port: 0), LocalAddresses.isLocal(address) { return true }
  print("skipped: this machine has no IPv6 loopback address")
  return false
}()

@Suite("Addresses of the media ports")
struct AddressTests {
  private func plane(
    _ bind: [String], announced: [String] = [], both: Bool = false, port: UInt16 = 0
  ) throws -> MediaPlane {
    try MediaPlane(.init(workers: 1, bind: bind, port: port, tcp: false, announced: announced, announcesBound: both))
  }

  private func hosts(_ plane: MediaPlane) -> [String] { plane.openRoom { _ in }.candidates.map(\.address.host) }

  @Test("a client connects to an announced address that is not the bound one, and is answered from it")
  func announced() async throws {
    let fixture = try Fixture(.init(workers: 1, bind: ["0.0.0.0"], tcp: false, announced: ["127.0.0.2"]))
    #expect(fixture.room.candidates.map(\.address.host) == ["127.0.0.2"])
    let client = try TestClient(1, in: fixture.room, of: fixture.plane)
    try await fixture.connected(client)
    #expect(client.peer.remoteAddress?.host == "127.0.0.2")
  }

  @Test("two clients with the same address and port on different server sockets are separate")
  func twoSockets() async throws {
    let fixture = try Fixture(.init(workers: 1, bind: ["127.0.0.1", "127.0.0.2"], tcp: false))
    let candidates = fixture.room.candidates
    let one = try TestClient(1, in: fixture.room, of: fixture.plane, at: [candidates[0]])
    // The second client sends from the same port to the other socket.
    let two = try TestClient(2, in: fixture.room, of: fixture.plane, at: [candidates[1]], sharingPortOf: one)
    try await fixture.wait("both connected", [one, two]) {
      [one, two].allSatisfy { client in client.isConnected && fixture.events.contains(.transportConnected(client.id)) }
    }
  }

  @Test("a client connects over IPv6", .enabled(if: hasIPv6))
  func overIPv6() async throws {
    let fixture = try Fixture(.init(workers: 1, bind: ["::1"], tcp: false))
    #expect(fixture.room.candidates.map(\.address.host) == ["::1"])
    let client = try TestClient(1, in: fixture.room, of: fixture.plane)
    try await fixture.connected(client)
  }

  @Test("a loopback address is offered beside the interfaces' addresses if the configuration names it")
  func namedLoopback() throws {
    let interfaces = LocalAddresses.all().filter { !$0.isLoopback && LocalAddresses.isLocal($0) }.map(\.host)
    #expect(hosts(try plane(["127.0.0.1", "::"])) == ["127.0.0.1"] + interfaces)
  }

  @Test("clients of both families meet in one room", .enabled(if: hasIPv6))
  func bothFamilies() async throws {
    let fixture = try Fixture(.init(workers: 1, bind: ["127.0.0.1", "::1"], tcp: false))
    let candidates = fixture.room.candidates
    #expect(candidates.map(\.address.host) == ["127.0.0.1", "::1"])
    #expect(Set(candidates.map(\.address.port)).count == 1)
    #expect(candidates[0].priority > candidates[1].priority)
    let four = try TestClient(1, in: fixture.room, of: fixture.plane, at: [candidates[0]])
    let six = try TestClient(2, in: fixture.room, of: fixture.plane, at: [candidates[1]])
    try await fixture.connected(four, six)
  }

  @Test("an unspecified address offers the machine's addresses, none of them link-local, and loopback only by itself")
  func unspecified() throws {
    let all = LocalAddresses.all()
    #expect(all.contains { $0.isLoopback })
    #expect(!all.contains { $0.isLinkLocal || $0.isUnspecified })
    let reachable = all.filter { !$0.isLoopback }
    let expected = reachable.isEmpty ? all : reachable
    #expect(hosts(try plane(["::"])) == expected.map(\.host))
    let four = expected.filter(\.isIPv4)
    if !four.isEmpty { #expect(hosts(try plane(["0.0.0.0"])) == four.map(\.host)) }
  }

  @Test("announced addresses replace the bound ones, unless both are enabled")
  func hidden() throws {
    #expect(hosts(try plane(["127.0.0.1"], announced: ["203.0.113.7", "203.0.113.8"])) == ["203.0.113.7", "203.0.113.8"])
    #expect(hosts(try plane(["127.0.0.1"], announced: ["203.0.113.7"], both: true)) == ["203.0.113.7", "127.0.0.1"])
  }

  @Test("an announced address of a family that is not bound is refused")
  func unreachable() {
    #expect(throws: MediaPlaneError.unreachable(announced: "2001:db8::1")) {
      try plane(["127.0.0.1"], announced: ["2001:db8::1"])
    }
    #expect(throws: MediaPlaneError.badAddress("example.org")) { try plane(["127.0.0.1"], announced: ["example.org"]) }
    #expect(throws: MediaPlaneError.self) { try plane([]) }
  }

  @Test("kinds of addresses are distinguished")
  func kinds() throws {
    func address(_ host: String) throws -> TransportAddress { try #require(TransportAddress(host: host, port: 1)) }
    for host in ["169.254.1.2", "fe80::1", "febf::1"] { #expect(try address(host).isLinkLocal) }
    for host in ["169.253.1.2", "fec0::1", "192.168.0.1", "::1"] { #expect(try !address(host).isLinkLocal) }
    for host in ["127.0.0.1", "127.8.0.1", "::1"] { #expect(try address(host).isLoopback) }
    for host in ["128.0.0.1", "::2"] { #expect(try !address(host).isLoopback) }
    for host in ["0.0.0.0", "::"] { #expect(try address(host).isUnspecified) }
    let datagram = try address("192.0.2.1")
    var connection = datagram
    connection.isTCP = true
    var elsewhere = datagram
    elsewhere.socket = 1
    #expect(Set([datagram, connection, elsewhere]).count == 3)
    #expect(AddressKey(datagram) != AddressKey(connection) && AddressKey(datagram) != AddressKey(elsewhere))
    #expect(AddressKey(connection).isTCP && !AddressKey(datagram).isTCP)
  }
}
