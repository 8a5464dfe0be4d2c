import RoomCLinux
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("life cycle", .serialized)
struct LifeCycleTests {
  @Test("closing a transport ends its tracks and subscriptions, and packets from its address are ignored")
  func closeTransport() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9003))
    try await fixture.connected(alice, bob)
    alice.sendRTP(payloadType: 111, sequence: 1, timestamp: 0, ssrc: 2222, payload: [1])
    try await fixture.wait("the packet", [alice, bob]) { bob.packets.count == 1 }
    fixture.room.closeTransport(alice.id)
    let counters = await fixture.settle()
    #expect(counters.transports == 1)
    #expect(counters.tracks == 0)
    #expect(counters.subscriptions == 0)
    #expect(counters.ringBytes == 0)
    try await fixture.wait("the remote ends are notified", [alice, bob]) {
      alice.events.contains(.closed) && bob.goodbyes == [9003]
    }
    let before = await fixture.settle()[.unknownAddress]
    alice.send([0x80, 111] + [UInt8](repeating: 0, count: 40))
    try await fixture.wait("the drop", [bob]) {
      await fixture.settle()[.unknownAddress] > before
    }
  }

  @Test("a transport keeps its keys over an ICE restart, and accepts only the new credentials once they are used")
  func restart() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.audio(ssrc: 9003))
    try await fixture.connected(alice, bob)
    let ours = ICECredentials.random()
    let theirs = ICECredentials.random()
    fixture.room.restartTransport(alice.id, credentials: ours)
    fixture.room.connectTransport(
      alice.id,
      remote: TransportParameters(credentials: theirs, fingerprints: [alice.fingerprint], role: .client))
    await fixture.settle()
    alice.peer.setLocal(theirs)
    alice.peer.setRemote(
      TransportParameters(
        credentials: ours, fingerprints: [fixture.plane.fingerprint], role: .server, iceLite: true,
        candidates: fixture.room.candidates), now: TestClient.now)
    var sent: UInt16 = 0
    try await fixture.wait("packets from then on", [alice, bob]) {
      sent &+= 1
      alice.sendRTP(payloadType: 111, sequence: sent, timestamp: UInt32(sent) * 960, ssrc: 2222, payload: [1])
      return bob.packets.count > 20 && alice.peer.remoteAddress != nil
    }
    #expect(!fixture.events.contains { if case .transportFailed = $0 { true } else { false } })
  }

  @Test("a client that sends close_notify is reported as closed")
  func closedByClient() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    try await fixture.connected(alice)
    alice.peer.close(now: TestClient.now)
    try await fixture.wait("the event", [alice]) { fixture.events.contains(.transportClosed(alice.id)) }
  }

  @Test("hundreds of clients that connect and disconnect leave nothing behind")
  func nothingStays() async throws {
    let fixture = try Fixture()
    func visit(_ round: UInt32) async throws {
      let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
      let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
      fixture.room.publish(MediaTrackID(1), on: alice.id, parameters: Parameters.video(ssrc: 1111, rtx: 1112))
      fixture.room.publish(MediaTrackID(2), on: alice.id, parameters: Parameters.audio(ssrc: 2222))
      fixture.room.subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: bob.id, parameters: Parameters.video(ssrc: 9001, rtx: 9002))
      fixture.room.subscribe(SubscriptionID(2), to: MediaTrackID(2), on: bob.id, parameters: Parameters.audio(ssrc: 9003))
      // Only some exchange media. The others disappear halfway.
      if round % 5 == 0 {
        try await fixture.wait("connected", [alice, bob]) { alice.isConnected && bob.isConnected }
        alice.sendRTP(payloadType: 96, sequence: 1, timestamp: 0, ssrc: 1111, payload: VP8Payload.key())
        try await fixture.wait("the packet", [alice, bob]) { !bob.packets.isEmpty }
      } else {
        alice.pump()
        bob.pump()
      }
      fixture.room.closeTransport(alice.id)
      fixture.room.closeTransport(bob.id)
      await fixture.settle()
    }
    for round in 0..<20 as Range<UInt32> { try await visit(round) }
    let descriptors = linux_open_descriptors()
    let memory = linux_resident_bytes()
    for round in 0..<200 as Range<UInt32> { try await visit(round) }
    let counters = await fixture.settle()
    #expect(counters.transports == 0)
    #expect(counters.tracks == 0)
    #expect(counters.subscriptions == 0)
    #expect(counters.ringBytes == 0)
    #expect(linux_open_descriptors() <= descriptors + 4, "other tests may open some meanwhile")
    #expect(linux_resident_bytes() - memory < 64 << 20)
  }

  @Test("a stopped plane answers, and accepts no more commands")
  func stopped() async throws {
    let fixture = try Fixture()
    fixture.plane.stop()
    #expect(await fixture.plane.counters().total == WorkerCounters())
    #expect(await fixture.room.statistics() == MediaStatistics())
    fixture.room.openTransport(TransportID(1), local: Parameters.local())
  }

  @Test("rooms go to the worker with the least load")
  func placement() async throws {
    let plane = try MediaPlane(.init(workers: 3))
    try plane.start()
    #expect(Set(plane.ports).count == 3)
    let rooms = (0..<6).map { _ in plane.openRoom { _ in } }
    #expect(Set(rooms.compactMap { $0.candidates.first?.address.port }).count == 3)
    #expect(await plane.counters().workers.map(\.rooms) == [2, 2, 2])
    for room in rooms { room.close() }
    #expect(await plane.counters().total.rooms == 0)
    plane.stop()
  }

  @Test("whatever exceeds a limit is refused by an event")
  func limits() async throws {
    var limits = MediaLimits()
    limits.transportsPerWorker = 2
    limits.tracksPerTransport = 1
    limits.subscriptionsPerTrack = 1
    let fixture = try Fixture(limits: limits)
    fixture.room.openTransport(TransportID(1), local: Parameters.local())
    fixture.room.openTransport(TransportID(2), local: Parameters.local())
    fixture.room.openTransport(TransportID(3), local: Parameters.local())
    fixture.room.publish(MediaTrackID(1), on: TransportID(1), parameters: Parameters.audio(ssrc: 1))
    fixture.room.publish(MediaTrackID(2), on: TransportID(1), parameters: Parameters.audio(ssrc: 2))
    fixture.room.publish(MediaTrackID(3), on: TransportID(9), parameters: Parameters.audio(ssrc: 3))
    fixture.room.subscribe(SubscriptionID(1), to: MediaTrackID(1), on: TransportID(2), parameters: Parameters.video(ssrc: 10))
    fixture.room.subscribe(SubscriptionID(2), to: MediaTrackID(1), on: TransportID(2), parameters: Parameters.audio(ssrc: 10))
    fixture.room.subscribe(SubscriptionID(3), to: MediaTrackID(1), on: TransportID(2), parameters: Parameters.audio(ssrc: 11))
    await fixture.settle()
    try await fixture.wait("the refusals", []) { fixture.events.count == 5 }
    #expect(
      fixture.events == [
        .refused(.transport(TransportID(3))), .refused(.track(MediaTrackID(2))), .refused(.track(MediaTrackID(3))),
        .refused(.subscription(SubscriptionID(1))), .refused(.subscription(SubscriptionID(3))),
      ])
  }
}
