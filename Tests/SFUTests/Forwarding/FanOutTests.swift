import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: fan-out")
struct FanOutTests {
  @Test("with more subscribers than a batch has packets, frames reach each of them, rewritten for it")
  func beyondOneBatch() throws {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(21)
    let alice = clients[0]
    network.order(.publish(MediaTrackID(1), on: alice.id, Parameters.video(ssrc: 1111)))
    for (index, client) in clients.dropFirst().enumerated() {
      let number = UInt32(index)
      network.order(
        .subscribe(
          SubscriptionID(number), to: MediaTrackID(1), on: client.id,
          Parameters.video(mid: "m\(number)", ssrc: SSRC(9000 + number), payloadType: 100), continues: false))
    }
    network.run(milliseconds: 50)
    let packetsPerFrame = 5
    #expect(20 * packetsPerFrame > SendBatch.capacity)
    for frame in 0..<10 {
      for part in 0..<packetsPerFrame {
        alice.sendRTP(
          payloadType: 96, sequence: UInt16(truncatingIfNeeded: 65_530 + frame * packetsPerFrame + part),
          timestamp: UInt32(frame) * 3000, ssrc: 1111, marker: part == packetsPerFrame - 1,
          payload: (frame == 0 && part == 0 ? VP8Payload.key("0 0") : VP8Payload.delta("\(frame) \(part)")))
      }
      network.run(milliseconds: 33)
    }
    for (index, client) in clients.dropFirst().enumerated() {
      let ssrc = SSRC(9000 + UInt32(index))
      #expect(client.numbers(of: ssrc) == Array(0..<50), "without a gap, over the publisher's wrap too")
      #expect(client.payloads(of: ssrc).last == VP8Payload.delta("9 4"))
      #expect(client.packets.allSatisfy { $0.packet.mid(Parameters.extensionIDs) == "m\(index)" })
      #expect(client.packets.allSatisfy { $0.packet.header.payloadType == 100 })
      #expect(Set(client.packets.map { $0.packet.header.timestamp }).count == 10)
    }
  }

  @Test("when a room closes, its clients are notified and nothing is pending")
  func close() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 50)
    network.order(.unpublish(MediaTrackID(1)))
    network.run(milliseconds: 50)
    #expect(bob.feedback.contains { $0.feedback == .goodbye(9001) })
    network.order(.closeRoom(VirtualNetwork.room))
    network.run(milliseconds: 50)
    #expect(alice.isClosed && bob.isClosed)
    #expect(network.forwarder.deadline == nil)
    #expect(network.counters.ringBytes == 0)
    #expect(network.forwarder.takeClosedRooms() == 1)
  }
}
