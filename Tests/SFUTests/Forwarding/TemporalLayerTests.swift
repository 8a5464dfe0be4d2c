import RoomLinkModel
import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("forwarder: temporal layers")
struct TemporalLayerTests {
  /// Loses packets of a client on the way to the server, and lets others overtake some.
  private func impair(
    _ network: VirtualNetwork, _ client: VirtualClient, seed: UInt64, loss: Double = 0.05, burst: Double = 1
  ) {
    network.uplinks[client.id] = LinkModel(
      LinkConditions(loss: loss, burst: burst, delay: 10_000, jitter: 5000, reorder: 0.01, reorderDelay: 60_000), seed: seed)
  }

  /// Sends without losses until everything is repaired.
  private func settle(_ network: VirtualNetwork, _ layers: inout VirtualTemporalLayers, _ client: VirtualClient) {
    network.uplinks[client.id] = nil
    network.run(frames: 40, of: &layers, from: client)
  }

  /// Loses all packets of a frame of layer 2 and one of layer 0: their numbers have no owner at first.
  private func loseTwoFrames(_ network: VirtualNetwork, _ layers: inout VirtualTemporalLayers, _ client: VirtualClient) {
    while layers.frames % 4 != 3 { network.run(frames: 1, of: &layers, from: client) }
    network.loses = { sender, isToServer in sender === client && isToServer }
    layers.sendFrames(from: client)
    layers.sendFrames(from: client)
    network.loses = { _, _ in false }
  }

  private func expectDecodable(_ client: VirtualClient, _ comment: Comment = "") -> TemporalDecoder {
    let decoder = TemporalDecoder(client)
    #expect(decoder.errors.isEmpty, "\(comment): \(decoder.errors.prefix(5))")
    #expect(decoder.missing.isEmpty, "\(comment): \(decoder.missing.count) missing")
    return decoder
  }

  @Test(
    "a limit of the frame rate leaves out temporal layers, without a trace and in proportion, behind a bad network",
    arguments: [90, 400], 1...3 as ClosedRange<UInt64>)
  func frameRates(kbps: Int, seed: UInt64) throws {
    let network = try VirtualNetwork()
    var layers = VirtualTemporalLayers([.init(ssrc: 1111, kbps: kbps)])
    let clients = try network.temporalLayers(layers, subscribers: 3)
    for client in clients.dropFirst() { client.reportPath(nacks: [9001]) }
    network.run(frames: 60, of: &layers, from: clients[0])
    impair(network, clients[0], seed: seed)
    for (number, limit) in [nil, 10, 5].enumerated() {
      network.order(
        .setReception(SubscriptionID(UInt32(number + 1)), Reception(maxFps: limit)))
    }
    network.run(frames: 40, of: &layers, from: clients[0])
    let start = network.now
    network.run(frames: 600, of: &layers, from: clients[0])
    let end = network.now
    settle(network, &layers, clients[0])
    let decoders = clients.dropFirst().map { client in expectDecodable(client) }
    let received = decoders.map { $0.frames(from: start, to: end) }
    #expect(decoders[0].fillers == 0)
    let bytes = received.map { Double($0.reduce(0) { $0 + $1.bytes }) }
    for (frames, expected) in zip(received, [600, 300, 150] as [Double]) {
      #expect(abs(Double(frames.count) - expected) < expected * 0.1, "\(frames.count) of \(expected)")
    }
    #expect(abs(bytes[1] / bytes[0] - 0.6) < 0.06 && abs(bytes[2] / bytes[0] - 0.4) < 0.04, "\(bytes)")
    #expect(received[1].count { $0.layer == 2 } < 30 && received[2].allSatisfy { $0.layer == 0 })
    #expect(network.counters.temporalLeftOut > 500)
    // Everybody again gets all.
    for number in 1...3 as ClosedRange<UInt32> {
      network.order(.setReception(SubscriptionID(number), Reception()))
    }
    network.run(frames: 60, of: &layers, from: clients[0])
    for client in clients.dropFirst() {
      let frames = expectDecodable(client).frames(from: network.now.advanced(milliseconds: -1000), to: network.now)
      #expect((19...21).contains(frames.count))
    }
    #expect(clients[0].pictureLosses.count <= 1, "the first key frame alone")
  }

  @Test("empty packets fill the numbers of packets that turn out to be ones to leave out")
  func fillers() throws {
    let network = try VirtualNetwork()
    var layers = VirtualTemporalLayers([.init(ssrc: 1111, kbps: 400)])
    let clients = try network.temporalLayers(layers, subscribers: 2)
    let limits: [Int?] = [5, 10]
    for (client, number) in zip(clients.dropFirst(), 1...) {
      client.reportPath(nacks: [9001])
      network.order(
        .setReception(SubscriptionID(UInt32(number)), Reception(maxFps: limits[number - 1])))
    }
    network.run(frames: 83, of: &layers, from: clients[0])
    loseTwoFrames(network, &layers, clients[0])
    network.run(frames: 20, of: &layers, from: clients[0])
    let few = expectDecodable(clients[1])
    #expect(few.fillers == 2 && few.frames.suffix(4).allSatisfy { $0.layer == 0 })
    let more = expectDecodable(clients[2])
    #expect(more.fillers == 0, "under this limit both frames count as kept")
    #expect(more.frames.suffix(12).filter { $0.layer == 2 }.map(\.frame) == [84])
  }

  @Test("a NACK is answered with what was sent under the number, whatever the limits since", arguments: [true, false])
  func repair(rtx: Bool) throws {
    let network = try VirtualNetwork()
    var layers = VirtualTemporalLayers([.init(ssrc: 1111, kbps: 150)])
    let clients = try network.temporalLayers(layers, rtx: rtx)
    let (alice, bob) = (clients[0], clients[1])
    network.run(frames: 60, of: &layers, from: alice)
    // Each loss on the way in leaves a number whose owner is not known yet.
    impair(network, alice, seed: 3, loss: 0.1, burst: 4)
    for limit in [5, 20, 10, 5] {
      network.setReception(Reception(maxFps: limit))
      network.run(frames: 20, of: &layers, from: alice)
    }
    network.uplinks[alice.id] = nil
    network.run(milliseconds: 300)
    loseTwoFrames(network, &layers, alice)
    network.run(frames: 8, of: &layers, from: alice)
    let first = bob.packets.filter { $0.packet.header.ssrc == 9001 }.map(\.packet).suffix(150)
    #expect(first.contains { $0.payload.isEmpty }, "empty packets too")
    #expect(Set(TemporalDecoder(bob).frames.suffix(40).map(\.layer)).count > 1)
    let before = bob.packets.count
    let repaired = network.statistics.subscriptions[SubscriptionID(1)]?.retransmitted ?? 0
    var sealed: [[UInt8]] = []
    network.onSend = { client, datagram in if client === bob { sealed.append(datagram) } }
    for packet in first {
      bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: [packet.header.sequenceNumber]) }
      network.run(milliseconds: 30)
    }
    #expect(network.statistics.subscriptions[SubscriptionID(1)]?.retransmitted == repaired + UInt64(first.count))
    guard rtx else {
      // A receiver's replay window takes none of them. A different packet under a used index would be as long only by chance.
      let lengths = sealed.filter { $0.count > 20 && $0[0] >> 6 == 2 && $0[1] & 0x7F == 100 }.map(\.count)
      #expect(lengths == first.map { $0.bytes.count + 16 } || lengths == first.map { $0.bytes.count + 10 })
      return
    }
    let repairs = bob.packets.dropFirst(before).map(\.packet).filter { $0.header.ssrc == 9002 }
    #expect(repairs.count == first.count)
    for (original, repair) in zip(first, repairs) {
      let number = original.header.sequenceNumber
      #expect(repair.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + original.payload)
      #expect(repair.header.timestamp == original.header.timestamp && repair.header.marker == original.header.marker)
    }
  }

  @Test(
    "a path of two thirds of a video's bitrate gets fewer frames instead of a pause, and all again when it can",
    arguments: 1...5 as ClosedRange<UInt64>)
  func thinPath(seed: UInt64) throws {
    let network = try VirtualNetwork()
    var layers = VirtualTemporalLayers([.init(ssrc: 1111, kbps: 600)])
    let clients = try network.temporalLayers(layers)
    let (alice, bob) = (clients[0], clients[1])
    func link(_ kbps: Int64) {
      var conditions = LinkConditions(delay: 25_000)
      conditions.limit(rate: kbps * 1000, queueing: 300)
      if network.links[bob.id] == nil { network.links[bob.id] = LinkModel(conditions, seed: seed) }
      network.links[bob.id]?.conditions = conditions
    }
    link(5000)
    bob.reportPath(nacks: [9001])
    network.run(frames: 120, of: &layers, from: alice)
    // With headers the video has about 640 kbit/s.
    link(430)
    network.run(frames: 100, of: &layers, from: alice)
    let start = network.now
    network.run(frames: 300, of: &layers, from: alice)
    let steady = TemporalDecoder(bob).frames(from: start, to: network.now)
    #expect((140...200).contains(steady.count), "\(steady.count) frames in 15 s")
    #expect(network.counters.bandwidthPauses == 0)
    let gap = zip(steady.map(\.at), steady.dropFirst().map(\.at)).map { $1 - $0 }.max() ?? .max
    #expect(gap < 450_000, "\(gap) µs without a frame")
    link(5000)
    network.run(frames: 400, of: &layers, from: alice)
    let whole = TemporalDecoder(bob).frames(from: network.now.advanced(milliseconds: -5000), to: network.now)
    #expect(whole.count >= 98, "\(whole.count) frames in 5 s")
  }

  @Test("below the smallest layer of a simulcast come its temporal layers")
  func belowSmallest() throws {
    let network = try VirtualNetwork()
    var layers = VirtualTemporalLayers([
      .init(ssrc: 1111, height: 90, kbps: 150), .init(ssrc: 2111, height: 180, kbps: 400, sequence: 9, picture: 7, level0: 3),
    ])
    let clients = try network.temporalLayers(layers)
    let (alice, bob) = (clients[0], clients[1])
    var conditions = LinkConditions(delay: 25_000)
    conditions.limit(rate: 3_000_000, queueing: 300)
    network.links[bob.id] = LinkModel(conditions, seed: 1)
    bob.reportPath(nacks: [9001])
    network.run(frames: 100, of: &layers, from: alice)
    #expect(TemporalDecoder(bob).frames.last?.stream == 2111)
    for (kbps, expected) in [(330, 35...42), (150, 8...26)] as [(Int64, ClosedRange<Int>)] {
      conditions.limit(rate: kbps * 1000, queueing: 300)
      network.links[bob.id]?.conditions = conditions
      network.run(frames: 300, of: &layers, from: alice)
      let frames = TemporalDecoder(bob).frames(from: network.now.advanced(milliseconds: -2000), to: network.now)
      #expect(frames.allSatisfy { $0.stream == 1111 })
      #expect(expected.contains(frames.count), "\(frames.count) frames in 2 s at \(kbps) kbit/s")
    }
    #expect(network.counters.bandwidthPauses == 0)
  }

  @Test(
    "senseless descriptors and numbers cause no trap, and sound ones pass afterwards", arguments: 1...5 as ClosedRange<UInt64>)
  func hostile(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let network = try VirtualNetwork()
    var layers = VirtualTemporalLayers([.init(ssrc: 1111, kbps: 100)])
    let clients = try network.temporalLayers(layers)
    let (alice, bob) = (clients[0], clients[1])
    network.run(frames: 10, of: &layers, from: alice)
    var sequence = UInt16(5000)
    var numbers: [UInt16] = []
    for round in 0..<4000 {
      if round % 50 == 0 {
        network.setReception(Reception(maxFps: [nil, 10, 5].randomElement(using: &random) ?? nil))
        bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: numbers.suffix(20)) }
      }
      sequence &+= UInt16([1, 1, 1, 1, 2, 3, 65_530, 200, 1000].randomElement(using: &random) ?? 1)
      var payload = (0..<12).map { _ in UInt8.random(in: 0...255, using: &random) }
      if round % 4 != 0 { payload.replaceSubrange(0..<2, with: [[0x80, 0x90, 0xB0][round % 3], 0xE0]) }
      if Bool.random(using: &random) { payload[2] |= 0x80 }
      if round % 16 == 0 { payload = [0x90, 0xE0, 0x80, 1, 1, 0x20, 0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0xA0, 0, 0x5A, 0] }
      if round % 29 == 0 { payload = [] }
      alice.sendRTP(
        payloadType: 96, sequence: sequence, timestamp: UInt32(round) &* 1500, ssrc: 1111,
        marker: Bool.random(using: &random), payload: payload)
      network.run(milliseconds: 3)
      numbers = bob.packets.suffix(30).filter { $0.packet.header.ssrc == 9001 }.map(\.packet.header.sequenceNumber)
    }
    network.setReception(Reception())
    let start = network.now
    // The publisher's SRTP continues from the last number.
    layers = VirtualTemporalLayers([.init(ssrc: 1111, kbps: 100, sequence: sequence &+ 1)])
    network.run(frames: 120, of: &layers, from: alice)
    #expect(TemporalDecoder(bob).frames(from: start.advanced(milliseconds: 2000), to: network.now).count > 60)
  }

  @Test(
    "numbers, picture ids and references stay whole over random limits, layers, losses and reordering",
    arguments: 1...24 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let network = try VirtualNetwork()
    let isSimulcast = seed % 2 == 0
    var streams = [VirtualTemporalLayers.Stream(ssrc: 1111, height: 90, kbps: [60, 250].randomElement(using: &random) ?? 60)]
    if isSimulcast { streams.append(.init(ssrc: 2111, height: 180, kbps: 500, sequence: 65_530, picture: 5, level0: 250)) }
    var layers = VirtualTemporalLayers(streams)
    let clients = try network.temporalLayers(layers, subscribers: 2)
    for client in clients.dropFirst() { client.reportPath(nacks: [9001]) }
    network.run(frames: 45, of: &layers, from: clients[0])
    impair(network, clients[0], seed: seed, loss: Double.random(in: 0...0.15, using: &random), burst: seed % 3 == 0 ? 5 : 1)
    network.links[clients[2].id] = LinkModel(LinkConditions(loss: 0.05, delay: 10_000, reorder: 0.05), seed: seed)
    for _ in 0..<40 {
      for number in 1...2 as ClosedRange<UInt32> where Bool.random(using: &random) {
        network.order(
          .setReception(
            SubscriptionID(number),
            Reception(
              maxHeight: isSimulcast ? [90, 180].randomElement(using: &random) : nil,
              maxFps: [nil, 20, 10, 5].randomElement(using: &random) ?? nil)))
      }
      network.run(frames: Int.random(in: 2...25, using: &random), of: &layers, from: clients[0])
    }
    network.links[clients[2].id] = nil
    settle(network, &layers, clients[0])
    for client in clients.dropFirst() {
      let decoder = expectDecodable(client, "seed \(seed)")
      #expect(decoder.frames.count > 100)
    }
  }
}
