import RoomRTP
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: simulcast layers")
struct LayerTests {
  /// Checks that a decoder sees one stream: numbers without a gap, pictures in sequence, time that advances, and a key frame
  /// at each change of layer.
  private func expectOneStream(_ pictures: [ReceivedPicture], _ comment: Comment = "") {
    #expect(pictures.first?.isKeyFrame == true, comment)
    for (last, next) in zip(pictures, pictures.dropFirst()) {
      #expect(next.number == last.number &+ 1, comment)
      if last.marker {
        #expect(next.picture == (last.picture &+ 1) & 0x7FFF && next.level0 == last.level0 &+ 1, comment)
        let step = Int64(Int32(bitPattern: next.timestamp &- last.timestamp))
        #expect(step > 0, comment)
        #expect(step <= (next.at - last.at) * 9 / 100 + 4500 + 90, comment)
      } else {
        #expect(next.picture == last.picture && next.timestamp == last.timestamp && next.layer == last.layer, comment)
      }
      if next.layer != last.layer { #expect(last.marker && next.isKeyFrame, comment) }
    }
  }

  @Test("a subscriber gets the largest layer that arrives, as one stream")
  func best() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 60, of: &layers, from: alice)
    let pictures = bob.pictures()
    expectOneStream(pictures)
    #expect(pictures.last?.layer == 3111)
    // At a change the same moment may come in both sizes.
    #expect((120...124).contains(pictures.count), "every frame of one layer")
    #expect(network.events.filter { $0.event == .firstPacket(MediaTrackID(1)) }.count == 1)
  }

  @Test("the shape of the pictures is reported once for each layer, and again when it changes")
  func shape() throws {
    let network = try VirtualNetwork()
    let (alice, _) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 45, of: &layers, from: alice)
    let landscape = MediaEvent.shapeChanged(MediaTrackID(1), isLandscape: true)
    #expect(network.events.count { $0.event == landscape } == 3)
    for index in layers.layers.indices {
      (layers.layers[index].width, layers.layers[index].height) = (layers.layers[index].height, layers.layers[index].width)
    }
    network.setReception(.smallest)
    network.run(frames: 20, of: &layers, from: alice)
    #expect(
      network.events.last { if case .shapeChanged = $0.event { true } else { false } }?.event
        == .shapeChanged(MediaTrackID(1), isLandscape: false))
    #expect(network.events.count { $0.event == landscape } == 3)
  }

  @Test("limits select a layer; the change is at a key frame and within a round trip and a frame", arguments: [true, false])
  func limits(reportsClock: Bool) throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 45, of: &layers, from: alice, reportsClock: reportsClock)
    for (reception, expected) in [
      (Reception(maxHeight: 180), 2111), (Reception(maxWidth: 319), 1111), (.smallest, 1111),
      (Reception(maxHeight: 10_000), 3111),
    ] as [(Reception, SSRC)] {
      let before = bob.pictures().count
      network.setReception(reception)
      network.run(frames: 20, of: &layers, from: alice, reportsClock: reportsClock)
      let later = bob.pictures().dropFirst(before)
      #expect(later.last?.layer == expected)
      if let change = later.firstIndex(where: { $0.layer == expected }) { #expect(change - before <= 2 * 8) }
    }
    expectOneStream(bob.pictures())
  }

  @Test("a layer that stops is replaced in less than a second, and taken again when it returns")
  func dead() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 45, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111)
    layers.layers[2].isOn = false
    let stopped = network.now
    network.run(frames: 60, of: &layers, from: alice)
    let fallen = try #require(bob.pictures().first { $0.at > stopped && $0.layer == 2111 })
    #expect(fallen.at - stopped < 800_000)
    layers.layers[2].isOn = true
    network.run(frames: 60, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111)
    expectOneStream(bob.pictures())
  }

  @Test("a NACK after a switch finds the old layer's packet, unchanged byte for byte", arguments: [true, false])
  func repair(rtx: Bool) throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob(rtx: rtx)
    var layers = VirtualLayers()
    network.run(frames: 30, of: &layers, from: alice)
    network.setReception(.smallest)
    network.run(frames: 12, of: &layers, from: alice)
    network.setReception(Reception(maxHeight: 180))
    network.run(frames: 12, of: &layers, from: alice)
    let first = bob.packets.filter { $0.packet.header.ssrc == 9001 }.map(\.packet)
    #expect(Set(bob.pictures().map(\.layer)).count == 3)
    let before = bob.packets.count
    for part in stride(from: 0, to: first.count, by: 10) {
      bob.sendRTCP {
        $0.nack(sender: 1, media: 9001, sequenceNumbers: first[part..<min(part + 10, first.count)].map(\.header.sequenceNumber))
      }
      network.run(milliseconds: 60)
    }
    let repairs = bob.packets.dropFirst(before).map(\.packet)
    // Nothing with RTX-less duplicates gets past the receiver's replay window, so those are counted by the server.
    guard rtx else {
      #expect(network.statistics.subscriptions[SubscriptionID(1)]?.retransmitted == UInt64(first.count))
      return
    }
    #expect(repairs.count == first.count)
    for (original, repair) in zip(first, repairs) {
      let number = original.header.sequenceNumber
      #expect(repair.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + original.payload)
      #expect(repair.header.timestamp == original.header.timestamp)
    }
  }

  @Test("a paused subscription gets nothing, and goes on at a key frame")
  func pause() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 30, of: &layers, from: alice)
    network.setReception(Reception(isPaused: true))
    let before = bob.pictures().count
    network.run(frames: 30, of: &layers, from: alice)
    #expect(bob.pictures().count - before <= 4, "what was in transit")
    let paused = bob.pictures().count
    network.setReception(Reception(maxHeight: 90))
    network.run(frames: 30, of: &layers, from: alice)
    let later = bob.pictures().dropFirst(paused)
    #expect(later.first?.isKeyFrame == true && later.allSatisfy { $0.layer == 1111 })
    let numbers = bob.numbers(of: 9001)
    #expect(numbers == (0..<UInt16(numbers.count)).map { $0 })
    let counters = network.counters
    #expect(counters.pauses == 1)
    #expect((0..<3).allSatisfy { counters.layerPackets[$0] == 180 })
  }

  @Test("layers that nobody uses for five seconds are reported, and a used one at once")
  func demand() throws {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    var parameters = VirtualLayers.parameters()
    for (index, rid) in (["q", "h", "f"] as [Rid]).enumerated() { parameters.encodings[index].rid = rid }
    network.order(
      .publish(MediaTrackID(1), on: clients[0].id, parameters),
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: clients[1].id,
        Parameters.video(mid: "v", ssrc: 9001, rtx: 9002, payloadType: 100), continues: false),
      .setReception(SubscriptionID(1), Reception(maxHeight: 180)))
    var layers = VirtualLayers()
    func wanted() -> [[Rid]] {
      network.events.compactMap { if case .layersWanted(MediaTrackID(1), let rids) = $0.event { rids } else { nil } }
    }
    network.run(frames: 130, of: &layers, from: clients[0])
    #expect(wanted() == [])
    network.run(frames: 30, of: &layers, from: clients[0])
    #expect(wanted() == [["q", "h"]])
    layers.layers[2].isOn = false
    network.run(frames: 30, of: &layers, from: clients[0])
    network.setReception(Reception())
    #expect(wanted() == [["q", "h"], ["q", "h", "f"]])
    network.setReception(Reception(isPaused: true))
    network.run(frames: 170, of: &layers, from: clients[0])
    #expect(wanted().last == ["q"])
  }

  @Test("the layers that have arrived are reported with their sizes, once")
  func reported() throws {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(1)
    var parameters = VirtualLayers.parameters()
    for (index, rid) in (["q", "h", "f"] as [Rid]).enumerated() { parameters.encodings[index].rid = rid }
    network.order(.publish(MediaTrackID(1), on: clients[0].id, parameters))
    var layers = VirtualLayers()
    func reported() -> [[TrackLayer]] {
      network.events.compactMap {
        if case .layersChanged(MediaTrackID(1), let layers) = $0.event { layers } else { nil }
      }
    }
    network.run(frames: 60, of: &layers, from: clients[0])
    let first = reported()
    #expect(first.last?.map(\.rid) == ["q", "h", "f"])
    #expect(first.last?.map(\.size.height) == [90, 180, 360])
    // A layer that stops is still one that the publisher can send.
    layers.layers[2].isOn = false
    network.run(frames: 60, of: &layers, from: clients[0])
    #expect(reported() == first)
  }

  @Test("a tap follows the best layer with numbers and times that continue")
  func tap() throws {
    let network = try VirtualNetwork()
    let (alice, _) = try network.layersFromAliceToBob()
    let tap = TrackTap(capacity: TrackTap.videoBytes)
    network.order(.tap(VirtualNetwork.room, MediaTrackID(1), tap))
    var layers = VirtualLayers()
    network.run(frames: 30, of: &layers, from: alice)
    layers.layers[2].isOn = false
    network.run(frames: 45, of: &layers, from: alice)
    layers.layers[2].isOn = true
    network.run(frames: 45, of: &layers, from: alice)
    var records: [(sequence: Int64, timestamp: UInt32, marker: Bool, layer: String)] = []
    while tap.read({ record, payload in
      guard case .packet(let sequence, let timestamp, let marker, _, _, _) = record else { return }
      let text = String(decoding: payload, as: UTF8.self)
      records.append((sequence, timestamp, marker, ["1111", "2111", "3111"].first { text.contains("\($0) ") } ?? ""))
    }) {}
    #expect(Set(records.map(\.layer)).isSuperset(of: ["2111", "3111"]) && records.last?.layer == "3111")
    for (last, next) in zip(records, records.dropFirst()) {
      #expect(next.sequence == last.sequence + 1)
      let step = Int32(bitPattern: next.timestamp &- last.timestamp)
      #expect(last.marker ? step > 0 && step < 90_000 : step == 0)
    }
  }

  @Test(
    "the number of a packet and its content stay one over random switches and losses", arguments: 1...5 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    var random = SeededGenerator(seed: seed)
    network.run(frames: 3, of: &layers, from: alice)
    network.loses = { client, isToServer in client === alice && isToServer && Int.random(in: 0..<20, using: &random) == 0 }
    var choices = SeededGenerator(seed: seed + 100)
    for _ in 0..<60 {
      network.setReception(
        Reception(
          maxHeight: [90, 180, 360].randomElement(using: &choices), isPaused: Int.random(in: 0..<10, using: &choices) == 0))
      layers.layers[Int.random(in: 1...2, using: &choices)].isOn.toggle()
      network.run(frames: Int.random(in: 1...12, using: &choices), of: &layers, from: alice)
    }
    let pictures = bob.pictures()
    #expect(pictures.count > 200)
    #expect(Set(pictures.map(\.number)).count == pictures.count)
    // In the order of numbers, each frame has a picture id and a timestamp of its own, later than the one before.
    let start = try #require(pictures.first?.number)
    let ordered = pictures.sorted { $0.number &- start < $1.number &- start }
    for (last, next) in zip(ordered, ordered.dropFirst()) {
      if next.layer == last.layer, next.frame == last.frame {
        #expect(next.picture == last.picture && next.timestamp == last.timestamp)
      } else {
        #expect((next.picture &- last.picture) & 0x7FFF < 0x4000 && next.picture != last.picture)
        #expect(Int32(bitPattern: next.timestamp &- last.timestamp) > 0)
      }
    }
  }
}
