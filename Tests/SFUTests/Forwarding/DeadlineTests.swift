import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: deadlines")
struct DeadlineTests {
  @Test("a forwarder without transports waits for nothing, one with transports works every 10 ms, until they are closed")
  func ticks() throws {
    let network = try VirtualNetwork()
    #expect(network.forwarder.deadline == nil)
    let clients = try network.connectedClients(1)
    let first = try #require(network.forwarder.deadline)
    #expect(first > network.now && first - network.now <= 10_000)
    network.run(milliseconds: 10)
    #expect(network.forwarder.deadline == first.advanced(milliseconds: 10))
    network.order(.close(clients[0].id))
    #expect(network.forwarder.deadline == nil)
  }

  @Test("a complete frame is forwarded when it arrives, the packets of an incomplete one a millisecond later")
  func frames() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    network.run(milliseconds: 100)
    let start = network.now
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 100)
    #expect(bob.packets.map { $0.at - start } == [20_000])

    let second = network.now
    for number in 2...3 as ClosedRange<UInt16> {
      alice.sendRTP(payloadType: 96, sequence: number, timestamp: 6000, ssrc: 1111, payload: VP8Payload.delta())
    }
    network.run(milliseconds: 10)
    #expect(network.forwarder.deadline == second.advanced(milliseconds: 11))
    network.run(milliseconds: 90)
    #expect(bob.packets.dropFirst().map { $0.at - second } == [21_000, 21_000])
  }

  @Test("a silent client is reported after 8 s, recovers with its next check, and fails after 30 s of silence")
  func silence() throws {
    let network = try VirtualNetwork()
    let alice = try network.connectedClients(1)[0]
    network.run(milliseconds: 60_000)
    #expect(!network.happened(.transportDisconnected(alice.id)), "its checks continue")
    var isGone = true
    network.loses = { _, isToServer in isGone && isToServer }
    let start = network.now
    network.run(milliseconds: 9000)
    let disconnected = try #require(network.events.first { $0.event == .transportDisconnected(alice.id) })
    #expect((1_000_000...8_020_000).contains(disconnected.at - start))
    isGone = false
    network.run(milliseconds: 10_000)
    #expect(network.events.last?.event == .transportConnected(alice.id))
    isGone = true
    let end = network.now
    network.run(milliseconds: 40_000)
    let failed = try #require(network.events.last)
    #expect(failed.event == .transportFailed(alice.id, .timeout))
    #expect((20_000_000...30_020_000).contains(failed.at - end))
  }
}
