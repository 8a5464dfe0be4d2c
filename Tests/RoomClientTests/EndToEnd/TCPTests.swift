import Glibc
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomClient

@Suite("Media over TCP, with a real server", .serialized)
struct TCPTests {
  /// Sends media from one client to the other, and returns for each whether it uses TCP.
  private func exchange(_ ada: Room, _ bob: Room) async throws -> [Bool] {
    let theirs = bob.events()
    let camera = LocalVideoTrack(codec: .vp8, width: 320, height: 180, fps: 15)
    try await ada.publish([camera])
    let feeder = Feeder(camera)
    defer { feeder.stop() }
    let track = try await subscribed(bob, theirs)
    try await receive(20, from: track.frames, "frames")
    let statistics = [await ada.statistics(), await bob.statistics()]
    await ada.leave()
    await bob.leave()
    return statistics.compactMap { $0.transports.first?.overTCP }
  }

  @Test("a client uses TCP only if configured, the other one UDP")
  func forced() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada", options: RoomOptions(mediaProtocol: .tcp))
    let bob = try await stage.join("bob")
    #expect(try await exchange(ada, bob) == [true, false])
    await stage.server.stop()
  }

  @Test("with UDP blocked both sides connect over TCP")
  func blocked() async throws {
    let stage = try await Stage()
    // A socket that is never read: packets to it get no answer.
    let hole = try BlackHole()
    var options = RoomOptions()
    options.mediaAddressOverride = { $0.isTCP ? $0 : hole.address }
    let ada = try await stage.join("ada", options: options)
    let bob = try await stage.join("bob", options: options)
    #expect(try await exchange(ada, bob) == [true, true])
    await stage.server.stop()
  }

  @Test("a server without TCP is reached by UDP")
  func withoutTCP() async throws {
    let stage = try await Stage { $0.media.tcp = false }
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob", options: RoomOptions(mediaProtocol: .udp))
    #expect(try await exchange(ada, bob) == [false, false])
    await stage.server.stop()
  }
}

/// A bound UDP socket that is never read.
private final class BlackHole: Sendable {
  let address: TransportAddress
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var storage = sockaddr_storage()
    var length = TransportAddress(ipv4: 0x7F00_0001, port: 0).write(to: &storage)
    let descriptor = descriptor
    let bound = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(bound)
    address = try #require(TransportAddress(&storage))
  }

  deinit { close(descriptor) }
}
