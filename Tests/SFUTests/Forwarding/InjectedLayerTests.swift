import RoomLinkModel
import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("forwarder: layers of a track that comes from this process")
struct InjectedLayerTests {
  /// An encoder with two layers, of 1200 and 300 kbit/s at 30 frames a second. It encodes the second while it is wanted.
  private final class Source {
    private static let packets = 5

    let injections: [TrackInjection]
    private var layers = [
      VirtualLayers.Layer(
        ssrc: 3111, width: 640, height: 360, sequence: 0, timestamp: 1_000_000, picture: 20_000, level0: 77, filling: 960),
      VirtualLayers.Layer(
        ssrc: 2111, width: 320, height: 180, sequence: 0, timestamp: 4_000_000_000, picture: 100, level0: 3, filling: 230),
    ]
    private var frames = 0
    private var isOn = [false, false]
    private var answered = [0, 0]

    init() throws {
      injections = Array(sequence(first: TrackInjection(isVideo: true, layers: 2, wakeup: try Wakeup()), next: \.nextLayer))
    }

    func sendFrame(at now: Instant) {
      for (index, injection) in injections.enumerated() {
        defer { isOn[index] = injection.isWanted }
        guard injection.isWanted else { continue }
        let isKey = !isOn[index] || injection.keyFrameRequests != answered[index]
        answered[index] = injection.keyFrameRequests
        let timestamp = layers[index].timestamp &+ UInt32(truncatingIfNeeded: now.microseconds * 9 / 100)
        if frames % 30 == 0 { injection.report(NTPTime(unixMicroseconds: now.microseconds), timestamp: timestamp) }
        layers[index].picture = (layers[index].picture &+ 1) & 0x7FFF
        layers[index].level0 &+= 1
        for part in 0..<Self.packets {
          injection.send(
            VirtualLayers.payload(layers[index], frame: frames, isKey: isKey, part: part), timestamp: timestamp,
            marker: part == Self.packets - 1)
        }
      }
      frames += 1
    }
  }

  /// A viewer behind a link.
  private struct Stage {
    let network: VirtualNetwork
    let bob: VirtualClient
    let source: Source
    private var conditions = LinkConditions(delay: 25_000)

    init(seed: UInt64) throws {
      network = try VirtualNetwork()
      source = try Source()
      bob = try network.connectedClients(1)[0]
      network.links[bob.id] = LinkModel(conditions, seed: seed)
      bob.reportPath(nacks: [9001])
      network.order(
        .inject(VirtualNetwork.room, MediaTrackID(1), Parameters.video(ssrc: nil, cname: "mix"), source.injections[0]))
      network.order(
        .subscribe(
          SubscriptionID(1), to: MediaTrackID(1), on: bob.id,
          Parameters.video(mid: "v", ssrc: 9001, rtx: 9002, payloadType: 100), continues: false))
    }

    mutating func limit(kbps: Int64) {
      conditions.limit(rate: kbps * 1000, queueing: 300)
      network.links[bob.id]?.conditions = conditions
    }

    func run(seconds: Int) {
      for _ in 0..<seconds * 30 {
        source.sendFrame(at: network.now)
        network.run(milliseconds: 33)
      }
    }

    var wanted: [Bool] { source.injections.map(\.isWanted) }

    /// The layers of the frames of the last seconds.
    func layers(last seconds: Int64) -> Set<SSRC> {
      Set(bob.pictures().filter { network.now - $0.at < seconds * 1_000_000 }.map(\.layer))
    }

    var pauses: Int {
      network.events.count { if case .streamChanged(_, _, let state) = $0.event { state.isPaused } else { false } }
    }
  }

  @Test(
    "the smaller layer is produced only while a path needs it, and no video is paused",
    arguments: 1...5 as ClosedRange<UInt64>)
  func onDemand(seed: UInt64) throws {
    var stage = try Stage(seed: seed)
    stage.limit(kbps: 5000)
    stage.run(seconds: 8)
    #expect(stage.wanted == [true, false])
    #expect(stage.layers(last: 3) == [3111])
    for _ in 0..<2 {
      stage.limit(kbps: 600)
      stage.run(seconds: 5)
      #expect(stage.wanted == [true, true])
      stage.run(seconds: 10)
      #expect(stage.layers(last: 10) == [2111])
      let frames = Set(stage.bob.pictures().filter { stage.network.now - $0.at < 10_000_000 }.map(\.timestamp)).count
      #expect(frames > 280, "\(frames) of 300 frames")
      stage.limit(kbps: 5000)
      stage.run(seconds: 20)
      #expect(stage.wanted == [true, false])
      #expect(stage.layers(last: 3) == [3111])
    }
    #expect(stage.pauses == 0)
    #expect(!stage.network.events.contains { if case .layersWanted = $0.event { true } else { false } })
  }

  @Test("a subscriber's limit selects the smaller layer, and ends with the track's use")
  func limits() throws {
    let stage = try Stage(seed: 1)
    stage.run(seconds: 8)
    #expect(stage.wanted == [true, false])
    stage.network.setReception(Reception(maxHeight: 200))
    stage.run(seconds: 2)
    #expect(stage.wanted == [true, true] && stage.layers(last: 1) == [2111])
    stage.network.setReception(Reception(isPaused: true))
    stage.run(seconds: 7)
    #expect(stage.wanted == [true, false])
    let rings = stage.network.counters.ringBytes
    stage.network.order(.unpublish(MediaTrackID(1)))
    #expect(stage.network.counters.ringBytes < rings)
    #expect(stage.network.counters.tracks == 0)
  }
}
