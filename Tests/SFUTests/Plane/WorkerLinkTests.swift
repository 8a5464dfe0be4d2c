import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("links between workers", .serialized)
struct WorkerLinkTests {
  private let track = MediaTrackID(1)

  @Test("a track crosses once for all subscribers of a worker, and no longer once they are gone")
  func once() async throws {
    var limits = MediaLimits()
    limits.roomTransportsPerWorker = 1
    let fixture = try Fixture(.init(workers: 2, limits: limits))
    let clients = try (1...6).map { try TestClient($0, in: fixture.room, of: fixture.plane) }
    let (alice, others) = (clients[0], Array(clients.dropFirst()))
    fixture.room.publish(track, on: alice.id, parameters: Parameters.audio(ssrc: 51))
    for (index, client) in others.enumerated() {
      let number = UInt32(index)
      fixture.room.subscribe(
        SubscriptionID(number), to: track, on: client.id, parameters: Parameters.audio(ssrc: SSRC(9001 + number)))
    }
    try await fixture.wait("connected", clients) { clients.allSatisfy(\.isConnected) }
    for number in 1...10 as ClosedRange<UInt16> {
      alice.sendRTP(payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 51, payload: [1])
    }
    try await fixture.wait("all packets", clients) { others.allSatisfy { $0.packets.count == 10 } }
    let counters = await fixture.plane.counters()
    #expect(counters.workers.map(\.transports) == [3, 3])
    #expect(counters.total.linked == 10)
    #expect(counters.workers.allSatisfy { $0.rtpForwarded >= 20 })
    #expect(await fixture.room.statistics().tracks[track]?.subscriptions == 5)
    #expect(await fixture.room.statistics().subscriptions.count == 5)

    let near = try #require(counters.workers.firstIndex { $0.rtpReceived > 0 })
    for (index, client) in others.enumerated() where fixture.plane.ports[near] != client.server.port {
      fixture.room.unsubscribe(SubscriptionID(UInt32(index)))
    }
    alice.sendRTP(payloadType: 111, sequence: 11, timestamp: 11 * 960, ssrc: 51, payload: [1])
    try await fixture.wait("the near ones' packet", clients) { others.filter { $0.packets.count == 11 }.count == 2 }
    let after = await fixture.plane.counters()
    #expect(after.total.linked == 10)
    #expect(after.total.tracks == 1)
    for client in clients { fixture.room.closeTransport(client.id) }
    #expect(await fixture.settle().ringBytes == 0)
  }

  @Test("the levels of all workers are reported together, and the speakers ranked among all")
  func levels() async throws {
    let fixture = try Fixture()
    let clients = try (1...3).map { try TestClient($0, in: fixture.room, of: fixture.plane) }
    #expect(Set(clients.map(\.server.port)).count == 3)
    for client in clients {
      let number = client.id.rawValue
      fixture.room.publish(MediaTrackID(number), on: client.id, parameters: Parameters.audio(ssrc: SSRC(50 + number)))
    }
    try await fixture.wait("connected", clients) { clients.allSatisfy(\.isConnected) }
    var sequence: UInt16 = 0
    func send(_ levels: [Int]) {
      for (client, level) in zip(clients, levels) {
        client.sendRTP(
          payloadType: 111, sequence: sequence, timestamp: UInt32(sequence) * 960, ssrc: SSRC(50 + client.id.rawValue),
          payload: [1],
          level: (4, UInt8(level)))
      }
      sequence &+= 1
    }
    try await fixture.wait("all three speak, the second loudest", clients) {
      send([30, 15, 35])
      return fixture.events.contains(.activeSpeakers([2, 1, 3].map { MediaTrackID($0) }))
    }
    try await fixture.wait("all levels in one event", clients) {
      send([30, 15, 35])
      return fixture.events.contains { event in
        guard case .audioLevels(let levels) = event else { return false }
        return Set(levels.map(\.level)) == [-30, -15, -35]
      }
    }
    fixture.room.unpublish(MediaTrackID(2))
    try await fixture.wait("the first leads", clients) {
      send([30, 127, 35])
      guard
        case .activeSpeakers(let speakers)? = fixture.events.last(where: {
          if case .activeSpeakers = $0 { true } else { false }
        })
      else { return false }
      return speakers == [MediaTrackID(1), MediaTrackID(3)]
    }
  }

  @Test("a mute ends a linked track's packets at once; without it they begin at a key frame that is requested")
  func mute() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(track, on: alice.id, parameters: Parameters.video(ssrc: 51))
    fixture.room.setMuted(track, true)
    fixture.room.subscribe(SubscriptionID(1), to: track, on: bob.id, parameters: Parameters.video(ssrc: 9001))
    try await fixture.connected(alice, bob)
    func send(_ number: UInt16, _ payload: [UInt8]) {
      alice.sendRTP(
        payloadType: 96, sequence: number, timestamp: UInt32(number) * 3000, ssrc: 51, marker: true, payload: payload)
    }
    send(1, VP8Payload.key())
    try await fixture.wait("the drop", [alice, bob]) { await fixture.settle()[.muted] == 1 }
    #expect(bob.packets.isEmpty)
    fixture.room.setMuted(track, false)
    try await fixture.wait("a key frame request", [alice, bob]) { !alice.pictureLosses.isEmpty }
    send(2, VP8Payload.delta())
    send(3, VP8Payload.key())
    send(4, VP8Payload.delta())
    try await fixture.wait("the picture", [alice, bob]) { bob.packets.count == 2 }
    #expect(VP8Payload.isKey(bob.packets[0].payload))
  }

  @Test("the first subscriber at another worker starts with the key frame that has passed")
  func past() async throws {
    let fixture = try Fixture()
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    fixture.room.publish(track, on: alice.id, parameters: Parameters.video(ssrc: 51))
    try await fixture.connected(alice, bob)
    for (number, payload) in [(1, VP8Payload.key("a")), (2, VP8Payload.delta("b"))] as [(UInt16, [UInt8])] {
      alice.sendRTP(
        payloadType: 96, sequence: number, timestamp: UInt32(number) * 3000, ssrc: 51, marker: true, payload: payload)
    }
    try await fixture.wait("both", [alice, bob]) { await fixture.settle().rtpReceived >= 2 }
    fixture.room.subscribe(SubscriptionID(1), to: track, on: bob.id, parameters: Parameters.video(ssrc: 9001))
    try await fixture.wait("both at the other worker", [alice, bob]) { bob.packets.count == 2 }
    #expect(bob.packets.map(\.payload) == [VP8Payload.key("a"), VP8Payload.delta("b")])
    #expect(alice.pictureLosses.isEmpty)
  }
}
