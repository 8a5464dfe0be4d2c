import RoomLinkModel
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: changes of layer")
struct LayerSwitchingTests {
  @Test("a change cuts no frame of a publisher whose pacer mixes the packets of the layers", arguments: [1, 2, 3] as [Int64])
  func whole(milliseconds: Int64) throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 45, of: &layers, from: alice)
    layers.packets = 3
    for height in [90, 360, 180, 360, 90, 180, 90, 360] {
      network.setReception(Reception(maxHeight: height))
      for _ in 0..<12 {
        let next = network.now.advanced(milliseconds: 33)
        layers.sendFrames(from: alice, at: network.now) { network.run(milliseconds: milliseconds) }
        network.run(milliseconds: max(0, (next - network.now) / 1000))
      }
      #expect(bob.pictures().last?.layer == [90: 1111, 180: 2111, 360: 3111][height])
    }
    let pictures = bob.pictures()
    for (last, next) in zip(pictures, pictures.dropFirst()) {
      #expect(next.number == last.number &+ 1)
      #expect(last.marker == (next.timestamp != last.timestamp), "a frame ends with its last packet")
      if next.layer != last.layer { #expect(last.marker && next.isKeyFrame) }
    }
    #expect(network.counters.layerSwitches >= 8)
  }

  @Test("a change waits for the end of a frame no longer than a frame's time")
  func endless() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers()
    network.run(frames: 45, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111)
    layers.layers[2].losesEnds = true
    network.run(frames: 3, of: &layers, from: alice)
    let asked = network.now
    network.setReception(.smallest)
    network.run(frames: 20, of: &layers, from: alice)
    let first = try #require(bob.pictures().first { $0.layer == 1111 && $0.at > asked })
    #expect(first.isKeyFrame)
    // A tick and a trip until the request arrives, a frame, a trip, the wait, and another tick and trip.
    #expect(first.at - asked < 150_000)
    let later = bob.pictures().drop { $0.number != first.number }
    #expect(later.allSatisfy { $0.layer == 1111 } && later.count > 20)
  }

  @Test("subscribers in the middle of a frame do not delay others")
  func several() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    let carol = try network.client(3)
    network.run(milliseconds: 300)
    network.order(
      .subscribe(
        SubscriptionID(2), to: MediaTrackID(1), on: carol.id,
        Parameters.video(mid: "v", ssrc: 9003, rtx: 9004, payloadType: 100), continues: false),
      .setReception(SubscriptionID(2), Reception(maxHeight: 180)))
    var layers = VirtualLayers()
    network.run(frames: 45, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111 && carol.pictures(of: 9003).last?.layer == 2111)
    layers.layers[2].losesEnds = true
    network.run(frames: 2, of: &layers, from: alice)
    let asked = network.now
    network.order(
      .setReception(SubscriptionID(1), .smallest),
      .setReception(SubscriptionID(2), .smallest))
    network.run(frames: 20, of: &layers, from: alice)
    let change = try #require(carol.pictures(of: 9003).first { $0.layer == 1111 && $0.at > asked })
    let waited = try #require(bob.pictures().first { $0.layer == 1111 && $0.at > asked })
    #expect(change.isKeyFrame && waited.isKeyFrame && waited.frame == change.frame, "from the same key frame")
    #expect(waited.at - change.at >= 20_000 && waited.at - change.at <= 50_000)
    for pictures in [bob.pictures(), carol.pictures(of: 9003)] {
      #expect(Set(pictures.map(\.number)).count == pictures.count, "each packet once")
    }
  }

  @Test("on a paced path the packets of the layer before are not sent again")
  func repairOfPaced() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob()
    var layers = VirtualLayers.large
    var conditions = LinkConditions(delay: 25_000)
    conditions.limit(rate: 5_000_000, queueing: 300)
    network.links[bob.id] = LinkModel(conditions, seed: 1)
    bob.reportPath()
    network.run(frames: 150, of: &layers, from: alice)
    conditions.limit(rate: 640_000, queueing: 300)
    network.links[bob.id]?.conditions = conditions
    var frames = 0
    while bob.pictures().last?.layer != 2111, frames < 150 {
      network.run(frames: 1, of: &layers, from: alice)
      frames += 1
    }
    let before = bob.pictures().filter { $0.layer == 3111 }.suffix(3)
    #expect(before.count == 3 && bob.pictures().last?.layer == 2111)
    let counters = network.counters
    bob.sendRTCP { $0.nack(sender: 1, media: 9001, sequenceNumbers: before.map(\.number)) }
    network.run(milliseconds: 200)
    let after = network.counters
    #expect(after[.repairBudget] == counters[.repairBudget] + 3 && after.retransmitted == counters.retransmitted)
  }
}
