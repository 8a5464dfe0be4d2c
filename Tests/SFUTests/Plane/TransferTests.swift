import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("transports that go to another room", .serialized)
struct TransferTests {
  private let old = MediaTrackID(1)
  private let new = MediaTrackID(7)

  @Test("the connection and a learned stream continue there, and nobody in the former room gets more", arguments: [1, 2])
  func transfer(workers: Int) async throws {
    var limits = MediaLimits()
    limits.roomTransportsPerWorker = 1
    let fixture = try Fixture(.init(workers: workers, limits: limits))
    let next = fixture.plane.openRoom { _ in }
    // Only its first packet says which track the stream is.
    let sent = Parameters.audio(ssrc: nil)
    let alice = try TestClient(1, in: fixture.room, of: fixture.plane)
    let bob = try TestClient(2, in: fixture.room, of: fixture.plane)
    // The destination has its first transport at another worker, if there is one.
    let cat = try TestClient(3, in: next, of: fixture.plane, at: next.allCandidates.last)
    let clients = [alice, bob, cat]
    fixture.room.publish(old, on: alice.id, parameters: sent)
    fixture.room.subscribe(SubscriptionID(1), to: old, on: bob.id, parameters: Parameters.audio(ssrc: 901))
    try await fixture.wait("connected", clients) { clients.allSatisfy(\.isConnected) }
    func send(_ number: UInt16) {
      alice.sendRTP(
        payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 51, payload: [UInt8(number)],
        mid: number == 1 ? (1, "1") : nil)
    }
    send(1)
    try await fixture.wait("the first packet", clients) { bob.packets.count == 1 }

    let transfer = TransportTransfer(alice.id, as: TransportID(9), tracks: [old: new])
    fixture.room.transfer(transfer, to: next)
    next.publish(new, on: TransportID(9), parameters: sent)
    next.subscribe(SubscriptionID(1), to: new, on: cat.id, parameters: Parameters.audio(ssrc: 902))
    await fixture.settle()
    for number in 2...4 as ClosedRange<UInt16> { send(number) }
    try await fixture.wait("the packets in the other room", clients) { cat.packets.count == 3 }
    #expect(cat.packets.map(\.payload) == [[2], [3], [4]] && bob.packets.count == 1)
    #expect(await fixture.room.statistics().tracks.isEmpty)
    #expect(await next.statistics().tracks[new]?.packets == 4)

    fixture.room.close()
    await fixture.settle()
    send(5)
    try await fixture.wait("a packet after the former room has closed", clients) { cat.packets.count == 4 }
    next.close()
    #expect(await fixture.settle().ringBytes == 0)
  }
}
