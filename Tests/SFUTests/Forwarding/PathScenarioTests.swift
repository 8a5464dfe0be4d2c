import RoomLinkModel
import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

/// What subscribers behind bad networks get, in virtual time.
@Suite("forwarder: bad networks")
struct PathScenarioTests {
  private static func conditions(kbps: Int64? = nil, loss: Double = 0) -> LinkConditions {
    var conditions = LinkConditions(loss: loss, delay: 25_000)
    if let kbps { conditions.limit(rate: kbps * 1000, queueing: 300) }
    return conditions
  }

  /// Alice publishes layers of 120, 400 and 1200 kbit/s at 30 frames a second, and Bob subscribes after some of them.
  /// - Parameter filling: the bytes of filling in each packet of the largest layer.
  private func join(_ conditions: LinkConditions, seed: UInt64, after frames: Int = 60, filling: Int = 960) throws -> (
    network: VirtualNetwork, alice: VirtualClient, bob: VirtualClient, layers: VirtualLayers
  ) {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    let (alice, bob) = (clients[0], clients[1])
    network.order(.publish(MediaTrackID(1), on: alice.id, VirtualLayers.parameters()))
    var layers = VirtualLayers.large
    layers.layers[2].filling = filling
    network.run(frames: frames, of: &layers, from: alice)
    network.links[bob.id] = LinkModel(conditions, seed: seed)
    bob.reportPath(nacks: [9001])
    network.order(
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: bob.id,
        Parameters.video(mid: "v", ssrc: 9001, rtx: 9002, payloadType: 100), continues: false))
    return (network, alice, bob, layers)
  }

  @Test("a new subscriber gets a picture at once that its network carries, and the largest within two seconds if it can")
  func start() throws {
    var (network, alice, bob, layers) = try join(Self.conditions(kbps: 5000), seed: 1)
    let joined = network.now
    network.run(frames: 150, of: &layers, from: alice)
    let first = try #require(bob.pictures().first)
    #expect(first.at - joined < 600_000)
    let largest = try #require(bob.pictures().first { $0.layer == 3111 })
    #expect(largest.at - joined < 2_000_000, "\((largest.at - joined) / 1000) ms")
    #expect(bob.pictures().last?.layer == 3111)
  }

  @Test(
    "a subscriber that joins before the rates are known gets the largest layer after the first probe",
    arguments: 31...35 as ClosedRange<Int>)
  func unknownRates(frames: Int) throws {
    var (network, alice, bob, layers) = try join(Self.conditions(loss: 0.05), seed: 1, after: frames, filling: 480)
    let joined = network.now
    network.run(frames: 120, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111)
    let smaller = try #require(bob.pictures().last { $0.layer != 3111 })
    #expect(smaller.at - joined < 2_500_000, "\((smaller.at - joined) / 1000) ms")
  }

  @Test(
    "a new subscriber that loses packets gets the largest layer within four seconds", arguments: 1...5 as ClosedRange<UInt64>)
  func lossyStart(seed: UInt64) throws {
    var (network, alice, bob, layers) = try join(Self.conditions(loss: 0.05), seed: seed)
    let joined = network.now
    network.run(frames: 180, of: &layers, from: alice)
    let largest = try #require(bob.pictures().first { $0.layer == 3111 })
    #expect(largest.at - joined < 4_000_000, "\((largest.at - joined) / 1000) ms")
    #expect(bob.pictures().last?.layer == 3111)
  }

  @Test("a new subscriber behind 500 kbit/s has no pause in its first seconds", arguments: 1...5 as ClosedRange<UInt64>)
  func thinStart(seed: UInt64) throws {
    var (network, alice, bob, layers) = try join(Self.conditions(kbps: 500), seed: seed)
    let joined = network.now
    network.run(frames: 300, of: &layers, from: alice)
    let pictures = bob.pictures()
    let first = try #require(pictures.first)
    #expect(first.at - joined < 800_000)
    #expect(!pictures.contains { $0.layer == 3111 })
    let times = pictures.filter(\.marker).map(\.at)
    let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .max
    #expect(longest < 250_000, "\(longest / 1000) ms without a picture")
  }

  @Test("beside a TCP flow a subscriber keeps a picture", arguments: 1...5 as ClosedRange<UInt64>)
  func besideTCP(seed: UInt64) throws {
    var (network, alice, bob, layers) = try join(Self.conditions(kbps: 2000), seed: seed)
    let flow = CubicFlow(
      start: Double(network.now.microseconds) / 1_000_000 + Double(seed) / 3, back: 25_000)
    network.flows = [(flow, bob.id)]
    network.run(frames: 300, of: &layers, from: alice)
    let early = Set(bob.pictures().filter(\.marker).map(\.timestamp)).count
    #expect(early > 200, "\(early) of the first 300 frames")
    let steady = network.now
    let before = bob.packets.reduce(0) { $0 + $1.packet.bytes.count }
    network.run(frames: 900, of: &layers, from: alice)
    let frames = Set(bob.pictures().filter { $0.at >= steady && $0.marker }.map(\.timestamp)).count
    let kbps = (bob.packets.reduce(0) { $0 + $1.packet.bytes.count } - before) * 8 / 30_000
    #expect(frames > 650, "\(frames) of 900 frames")
    #expect((300...1200).contains(kbps), "\(kbps) kbit/s")
  }

  @Test("repairs are sent twice to a subscriber that loses a tenth of its packets, and its video is delayed")
  func lossy() throws {
    var (network, alice, bob, layers) = try join(Self.conditions(loss: 0.1), seed: 3)
    network.run(frames: 300, of: &layers, from: alice)
    let counters = network.counters
    #expect(counters.repairsDoubled > counters.retransmitted / 3)
    #expect(counters.repairsDoubled <= counters.retransmitted / 2)
    let delay = try #require(bob.playoutDelays(of: 9001).last)
    #expect((150...400).contains(delay), "\(delay) ms")
    network.links[bob.id]?.conditions = Self.conditions()
    network.run(frames: 500, of: &layers, from: alice)
    #expect(bob.playoutDelays(of: 9001).last == 0)
    let doubled = network.counters.repairsDoubled
    network.run(frames: 100, of: &layers, from: alice)
    #expect(network.counters.repairsDoubled == doubled)
  }

  @Test("people behind one link hear each other", arguments: [(3, 1_500_000), (6, 2_500_000)] as [(UInt32, Int64)])
  func meeting(people: UInt32, link: Int64) throws {
    let meeting = try VirtualMeeting(people: people, kbps: 300, seed: 1)
    meeting.run(seconds: 3)
    meeting.limit(to: link)
    meeting.run(seconds: 20)
    #expect(meeting.longestSilence(last: 14) <= 60)
    #expect(meeting.offeredRate(last: 14) <= Double(link) * 1.05)
    // Those that were not paused.
    for rate in meeting.framesPerSecond(last: 8) { #expect(rate >= (people == 3 ? 8 : 4)) }
  }

  @Test(
    "if people send one layer each, what does not fit is stated as paused, and all else moves", arguments: [true, false],
    [true, false])
  func oneLayer(obeys: Bool, narrows: Bool) throws {
    for seed in UInt64(1)...2 {
      let meeting = try VirtualMeeting(people: 3, kbps: 300, audioBytes: 120, obeys: obeys, seed: seed)
      if narrows { meeting.run(seconds: 3) }
      meeting.limit(to: 1_500_000)
      meeting.run(seconds: 40)
      let pictures = meeting.seconds(last: 30)
      #expect(!pictures.contains { $0.contains(where: \.isStuck) }, "seed \(seed)")
      if obeys {
        #expect(!pictures.contains { $0.suffix(20).contains(where: \.isPaused) }, "seed \(seed)")
      } else {
        // No room is left for those that are paused.
        #expect(meeting.offeredRate(last: 20) > 1_500_000 * 0.9, "seed \(seed)")
      }
    }
  }

  @Test(
    "if a link does not carry all audio, some is paused, evenly, and the rest has no gap",
    arguments: 1...5 as ClosedRange<UInt64>)
  func tooMuchAudio(seed: UInt64) throws {
    let meeting = try VirtualMeeting(people: 6, kbps: 300, audioBytes: 120, seed: seed)
    meeting.run(seconds: 3)
    // 30 streams of 71 kbit/s do not fit.
    meeting.limit(to: 1_500_000)
    meeting.run(seconds: 20)
    #expect(meeting.offeredRate(last: 12) <= 1_500_000 * 1.05)
    #expect(meeting.longestSilence(last: 12) <= 60)
    let streams = meeting.audioStreams(last: 2)
    #expect(streams.allSatisfy { (2...4).contains($0) }, "\(streams)")
  }
}

extension VirtualClient {
  /// The playout delays in the packets of a stream, in milliseconds.
  fileprivate func playoutDelays(of ssrc: SSRC) -> [Int] {
    packets.filter { $0.packet.header.ssrc == ssrc }.compactMap { entry in
      entry.packet.bytes.withUnsafeBytes { bytes in
        RTPExtensions(packet: bytes, header: entry.packet.header).range(of: Parameters.extensionIDs.playoutDelay).map {
          (Int(bytes[$0.lowerBound]) << 4 | Int(bytes[$0.lowerBound + 1]) >> 4) * 10
        }
      }
    }
  }
}
