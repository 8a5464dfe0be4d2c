import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: dependency descriptors")
struct DependencyDescriptorTests {
  private static let published: UInt8 = 12
  private static let received: UInt8 = 9

  private func parameters(mid: Mid = "0", ssrc: SSRC, rtx: SSRC, id: UInt8?, payloadType: UInt8 = 96) -> RTPParameters {
    var parameters = Parameters.video("av1", mid: mid, ssrc: ssrc, rtx: rtx, payloadType: payloadType)
    parameters.headerExtensions[.dependencyDescriptor] = id
    return parameters
  }

  /// Connects two clients: Alice publishes AV1 as SSRC 1111; Bob receives it as 9001 with RTX 9002.
  private func connected(id: UInt8? = received) throws -> (VirtualNetwork, alice: VirtualClient, bob: VirtualClient) {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    network.order(
      .publish(
        MediaTrackID(1), on: clients[0].id, parameters(ssrc: 1111, rtx: 1112, id: Self.published)),
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: clients[1].id,
        parameters(mid: "v", ssrc: 9001, rtx: 9002, id: id, payloadType: 100), continues: false))
    return (network, clients[0], clients[1])
  }

  /// A descriptor of `count` bytes.
  private func descriptor(frame: UInt16, count: Int) -> [UInt8] {
    [0xC0, UInt8(frame >> 8), UInt8(truncatingIfNeeded: frame)] + (3..<max(3, count)).map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Sends a frame of one packet. Key frames have long descriptors, as they list the templates of the stream.
  private func send(
    _ number: UInt16, isKey: Bool = false, frame: UInt16, length: Int? = nil, on network: VirtualNetwork,
    from client: VirtualClient
  ) {
    let payload: [UInt8] = [isKey ? 0x18 : 0x10, 0x30] + Array("\(number)".utf8)
    let element = descriptor(frame: frame, count: length ?? (isKey ? 60 : 3))
    network.send(
      client.peer.sealedRTP(
        payloadType: 96, sequence: number, timestamp: UInt32(number) * 3000, ssrc: 1111, marker: true, payload: payload,
        id: Self.published, element: element), from: client)
  }

  private func descriptors(of ssrc: SSRC, at client: VirtualClient) -> [[UInt8]?] {
    client.packets.map(\.packet).filter { $0.header.ssrc == ssrc }.map { packet in
      packet.bytes.withUnsafeBytes { bytes in
        RTPExtensions(packet: bytes, header: packet.header).bytes(of: Self.received).map(Array.init)
      }
    }
  }

  @Test("each packet keeps its descriptor, whatever its length, and so does its retransmission")
  func unchanged() throws {
    let (network, alice, bob) = try connected()
    let lengths = [60, 3, 16, 17, 255, 4]
    for (index, length) in lengths.enumerated() {
      send(UInt16(index), isKey: index == 0, frame: 65_530 + UInt16(index), length: length, on: network, from: alice)
      network.run(milliseconds: 33)
    }
    let expected = lengths.enumerated().map { descriptor(frame: 65_530 + UInt16($0), count: $1) }
    #expect(descriptors(of: 9001, at: bob) == expected)
    let first = bob.packets.map(\.packet).filter { $0.header.ssrc == 9001 }
    #expect(first.map { String(decoding: $0.payload.dropFirst(2), as: UTF8.self) } == (0..<6).map { "\($0)" })
    #expect(first.allSatisfy { $0.values(Parameters.extensionIDs).transportSequence != nil })
    bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: first.map(\.header.sequenceNumber)) }
    network.run(milliseconds: 100)
    #expect(descriptors(of: 9002, at: bob) == expected)
    let repairs = bob.packets.map(\.packet).filter { $0.header.ssrc == 9002 }
    for (original, repair) in zip(first, repairs) {
      let number = original.header.sequenceNumber
      #expect(repair.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + original.payload)
    }
  }

  @Test("frame numbers continue when the publisher restarts")
  func restart() throws {
    let (network, alice, bob) = try connected()
    for number in 0..<5 as Range<UInt16> {
      send(number, isKey: number == 0, frame: 40_000 + number, on: network, from: alice)
      network.run(milliseconds: 33)
    }
    alice.sendRTCP { writer in
      writer.receiverReport(ssrc: 1111)
      writer.goodbye(ssrc: 1111)
    }
    network.run(milliseconds: 33)
    for number in 0..<5 as Range<UInt16> {
      send(30_000 + number, isKey: number == 0, frame: 7 + number, on: network, from: alice)
      network.run(milliseconds: 33)
    }
    let frames = descriptors(of: 9001, at: bob).compactMap { descriptor in
      descriptor?.withUnsafeBytes { $0.baseAddress.map(DependencyDescriptor.frameNumber) }
    }
    #expect(frames == (0..<10).map { 40_000 + $0 })
    #expect(bob.numbers(of: 9001) == Array(0..<10))
  }

  @Test("a receiver without the extension gets none, and nothing else changes")
  func without() throws {
    let (network, alice, bob) = try connected(id: nil)
    for number in 0..<3 as Range<UInt16> {
      send(number, isKey: number == 0, frame: number, on: network, from: alice)
      network.run(milliseconds: 33)
    }
    #expect(descriptors(of: 9001, at: bob) == [nil, nil, nil])
    #expect(bob.packets.allSatisfy { $0.packet.header.extensionProfile == 0xbede })
  }
}
