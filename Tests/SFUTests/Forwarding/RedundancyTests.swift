import RoomRTP
import RoomTestSupport
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("forwarder: redundant audio for subscribers")
struct RedundancyTests {
  private func setUp(
    _ listeners: Int = 1, sendsRED: Bool = false
  ) throws -> (network: VirtualNetwork, speaker: VirtualSpeaker, clients: ArraySlice<VirtualClient>) {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(UInt32(listeners) + 1)
    return (network, VirtualSpeaker(clients[0], on: network, sendsRED: sendsRED), clients.dropFirst())
  }

  /// Whether a datagram is RTP of SSRC 9001: SRTP leaves the header in plain text.
  private static func isSound(_ datagram: [UInt8]) -> Bool {
    datagram.count > 12 && datagram[0] & 0xC0 == 0x80 && Array(datagram[8..<12]) == [0, 0, 0x23, 0x29]
  }

  private func ring(_ network: VirtualNetwork) -> (copies: Int, packets: Int) {
    let slot = network.forwarder.tracks[0]
    let stored = (0..<64).compactMap { slot.pointee.ring[slot.pointee.highest - $0] }
    return (stored.filter { $0.pointee.copies > 0 }.count, stored.count)
  }

  @Test(
    "without losses a subscriber with RED gets plain Opus, not a byte more, and the ring makes no copies",
    arguments: [true, false])
  func clean(sendsRED: Bool) throws {
    let (network, speaker, clients) = try setUp(2, sendsRED: sendsRED)
    var bytes: [TransportID: Int] = [:]
    network.onSend = { client, datagram in
      if Self.isSound(datagram) { bytes[client.id, default: 0] += datagram.count }
    }
    let listeners = clients.enumerated().map { VirtualListener($1, on: network, red: $0 == 0 ? 63 : nil) }
    for _ in 0..<10 {
      speaker.speak(50)
      for listener in listeners { listener.report(loss: 0) }
    }
    network.run(milliseconds: 100)
    for listener in listeners {
      let packets = try listener.packets()
      #expect(packets.map(\.payload) == (0..<500).map(speaker.payload))
      #expect(packets.allSatisfy { $0.header.payloadType == 111 })
    }
    #expect(ring(network) == (0, 64))
    #expect(network.counters.audioRedundant == 0)
    #expect(Set(network.statistics.subscriptions.values.map(\.bytes)).count == 1 && Set(bytes.values).count == 1)
  }

  @Test("each report sets the distance of its own subscriber: whole, newest copy, or the plain tail of the same memory")
  func distances() throws {
    let (network, speaker, clients) = try setUp(3)
    let listeners = [(0.2, 63), (0.03, 63), (0.2, nil)] as [(Double, UInt8?)]
    let all = zip(clients, listeners).map { ($1.0, VirtualListener($0, on: network, red: $1.1)) }
    speaker.speak(10)
    for (loss, listener) in all { for _ in 0..<4 { listener.report(loss: loss); network.run(milliseconds: 1000) } }
    speaker.speak(100)
    network.run(milliseconds: 100)
    for ((_, listener), distance) in zip(all, [2, 1, 0]) {
      let packets = try listener.packets()
      #expect(packets.map(\.payload) == (0..<110).map(speaker.payload), "the same payloads as plain Opus, bit for bit")
      #expect(packets.prefix(10).allSatisfy { $0.copies.isEmpty })
      for (number, packet) in packets.enumerated().dropFirst(12) {
        #expect(packet.copies == ((number - distance)..<number).map(speaker.payload))
        #expect(packet.header.payloadType == (distance == 0 ? 111 : 63))
      }
    }
    #expect(network.counters.audioRedundant == 200)
    // Sender reports count the bytes that were sent.
    let sent = network.statistics.subscriptions.values.map(\.bytes)
    #expect(Set(sent).count == 3)
  }

  @Test("when losses end, so do the copies, for the subscriber and in the ring")
  func ends() throws {
    let (network, speaker, clients) = try setUp()
    let listener = VirtualListener(try #require(clients.first), on: network)
    listener.report(loss: 0.2)
    speaker.speak(50)
    #expect(ring(network).copies > 40)
    for _ in 0..<40 {
      speaker.speak(50)
      listener.report(loss: 0)
    }
    speaker.speak(70)
    #expect(try #require(try listener.packets().last).copies.isEmpty)
    #expect(ring(network) == (0, 64))
    // The last subscriber with copies leaves.
    listener.report(loss: 0.3)
    network.run(milliseconds: 100)
    speaker.speak(2)
    #expect(network.forwarder.tracks[0].pointee.redundantSubscriptions == 1)
    network.order(.unsubscribe(SubscriptionID(listener.client.id.rawValue)))
    #expect(network.forwarder.tracks[0].pointee.redundantSubscriptions == 0)
  }

  @Test("a subscriber that loses 20 % has 98 % of the payloads", arguments: 1...3 as ClosedRange<UInt64>, [true, false])
  func lossy(seed: UInt64, sendsRED: Bool) throws {
    let (network, speaker, clients) = try setUp(sendsRED: sendsRED)
    let client = try #require(clients.first)
    let listener = VirtualListener(client, on: network)
    listener.report(loss: 0.2)
    network.run(milliseconds: 100)
    var random = SeededGenerator(seed: seed)
    network.loses = { who, isToServer in !isToServer && who === client && Int.random(in: 0..<5, using: &random) == 0 }
    for _ in 0..<40 {
      speaker.speak(50)
      listener.report(loss: 0.2)
    }
    network.loses = { _, _ in false }
    speaker.speak(2)
    network.run(milliseconds: 100)
    let received = try listener.packets().count
    #expect((1500..<1700).contains(received))
    #expect(try listener.heard().count >= 1962, "98 % of 2002")
  }

  @Test("silent packets are not copied")
  func silence() throws {
    let (network, speaker, clients) = try setUp()
    let listener = VirtualListener(try #require(clients.first), on: network)
    listener.report(loss: 0.2)
    speaker.speak(10)
    speaker.level = 60
    speaker.speak(10)
    speaker.level = nil
    speaker.speak(10)
    speaker.level = 59
    speaker.speak(10)
    network.run(milliseconds: 100)
    let copies = try listener.packets().map(\.copies.count)
    let expected = [Array(3...9), Array(10...11), Array(12...20), Array(21...21), Array(22...39)]
    #expect(expected[0].allSatisfy { copies[$0] == 2 })
    #expect(copies[10] == 2 && copies[11] == 0, "the last loud ones, then none")
    #expect(expected[2].allSatisfy { copies[$0] == 0 })
    #expect(copies[21] == 1)
    #expect(expected[4].allSatisfy { copies[$0] == 2 }, "of an unknown level, or just above silence")
  }

  @Test("long packets have fewer copies: at most 500 bytes of them")
  func sizes() throws {
    let (network, speaker, clients) = try setUp()
    let listener = VirtualListener(try #require(clients.first), on: network)
    listener.report(loss: 0.2)
    network.run(milliseconds: 50)
    speaker.length = { $0 < 20 ? 250 : $0 < 40 ? 251 : $0 < 60 ? 501 : $0 < 80 ? 1100 : 3 }
    speaker.speak(100)
    network.run(milliseconds: 100)
    let packets = try listener.packets()
    #expect(packets.map(\.payload) == (0..<100).map(speaker.payload))
    let copies = packets.map(\.copies.count)
    #expect(copies[10..<20].allSatisfy { $0 == 2 } && copies[25..<40].allSatisfy { $0 == 1 })
    #expect(copies[45..<60].allSatisfy { $0 == 0 } && copies[65..<80].allSatisfy { $0 == 0 })
    #expect(copies[85...].allSatisfy { $0 == 2 })
  }

  @Test("the receiver's own payload types are in all headers")
  func payloadTypes() throws {
    let (network, speaker, clients) = try setUp(2)
    let listeners = [
      VirtualListener(clients[1], on: network, codec: 97, red: 120), VirtualListener(clients[2], on: network),
    ]
    for listener in listeners { listener.report(loss: 0.2) }
    speaker.speak(50)
    network.run(milliseconds: 100)
    for listener in listeners {
      let packets = try listener.packets()
      #expect(packets.dropFirst(5).allSatisfy { $0.header.payloadType == listener.red && $0.copies.count == 2 })
    }
  }

  @Test("after a mute or a pause the first packets repeat nothing from before")
  func gates() throws {
    let (network, speaker, clients) = try setUp(sendsRED: true)
    let listener = VirtualListener(try #require(clients.first), on: network)
    listener.report(loss: 0.2)
    speaker.speak(10)
    network.order(.mute(VirtualSpeaker.track, true))
    speaker.speak(10)
    network.run(milliseconds: 50)
    network.order(.mute(VirtualSpeaker.track, false))
    speaker.speak(10)
    network.run(milliseconds: 50)
    let id = SubscriptionID(listener.client.id.rawValue)
    network.order(.setReception(id, Reception(isPaused: true)))
    speaker.speak(10)
    network.run(milliseconds: 50)
    network.order(.setReception(id, Reception(isPaused: false)))
    speaker.speak(10)
    network.run(milliseconds: 50)
    #expect(try listener.heard() == Set(0..<10).union(20..<30).union(40..<50))
    let packets = try listener.packets()
    #expect(packets[10..<13].map(\.copies.count) == [0, 1, 2] && packets[20..<23].map(\.copies.count) == [0, 1, 2])
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.header.sequenceNumber == $0.header.sequenceNumber &+ 1 })
  }

  @Test("RTX repeats the payload alone, and leaves the copies in the ring as they were")
  func withRTX() throws {
    let (network, speaker, clients) = try setUp(2)
    let listener = VirtualListener(clients[1], on: network, rtx: 9002, feedback: [.nack, .transportCC])
    let other = VirtualListener(clients[2], on: network)
    listener.report(loss: 0.03)
    for _ in 0..<4 { listener.report(loss: 0.03); network.run(milliseconds: 1000) }
    other.report(loss: 0.2)
    speaker.speak(30)
    network.run(milliseconds: 100)
    let packets = try listener.packets()
    #expect(packets.dropFirst(3).allSatisfy { $0.copies.count == 1 })
    #expect(try other.packets().dropFirst(3).allSatisfy { $0.copies.count == 2 }, "the next form was not damaged")
    for _ in 0..<2 {
      listener.client.sendRTCP {
        $0.nack(sender: 1, media: 9001, sequenceNumbers: packets[10..<20].map(\.header.sequenceNumber))
      }
      network.run(milliseconds: 100)
    }
    let repairs = listener.client.payloads(of: 9002)
    #expect(repairs.count == 20)
    for (index, repair) in repairs.enumerated() {
      let packet = packets[10 + index % 10]
      let number = packet.header.sequenceNumber
      #expect(repair == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + packet.payload)
    }
    let slot = network.forwarder.tracks[0]
    for number in (slot.pointee.highest - 20)...slot.pointee.highest {
      let packet = try #require(slot.pointee.ring[number])
      let form = PacketForm(packet, distance: 2, red: 63, codec: 111)
      let bytes = UnsafeRawBufferPointer(start: form.start, count: form.length)
      let blocks = try #require(RedundantAudio(parsing: bytes)).map { Array($0.data) }
      let newest = VirtualSpeaker.number(of: blocks[2])
      #expect(blocks == ((newest - 2)...newest).map(speaker.payload))
    }
  }

  @Test("without RTX a resend is the packet that was sent first, byte for byte, whatever the redundancy is then")
  func withoutRTX() throws {
    let (network, speaker, clients) = try setUp()
    let listener = VirtualListener(try #require(clients.first), on: network, feedback: [.nack])
    var sealed: [UInt16: Set<[UInt8]>] = [:]
    var datagrams: [UInt16: Int] = [:]
    let transport = network.forwarder.rooms[0]?.transports[listener.client.id]
    network.onSend = { _, datagram in
      guard Self.isSound(datagram) else { return }
      let number = UInt16(datagram[2]) << 8 | UInt16(datagram[3])
      sealed[number, default: []].insert(datagram)
      datagrams[number, default: 0] += 1
    }
    var random = SeededGenerator(seed: 4)
    for turn in 0..<60 {
      speaker.speak(10)
      if turn == 50 { network.forwarder.setAffordsRedundancy(false, on: try #require(transport)) }
      listener.report(loss: turn < 10 ? 0 : turn < 30 ? 0.03 : 0.3)
      let last = try #require(listener.packets().last).header.sequenceNumber
      // Some of the last 64, also those that were sent with another distance.
      let numbers = (0..<12).map { _ in last &- UInt16.random(in: 0..<50, using: &random) }
      listener.client.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: Array(Set(numbers)).sorted()) }
      network.run(milliseconds: 30)
    }
    #expect(datagrams.values.filter { $0 > 1 }.count > 100)
    #expect(sealed.values.allSatisfy { $0.count == 1 }, "one index never seals two packets")
    let kinds = Set(try listener.packets().map(\.copies.count))
    #expect(kinds == [0, 1, 2])
  }
}
