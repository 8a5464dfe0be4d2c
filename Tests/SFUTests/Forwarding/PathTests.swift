import RoomLinkModel
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: thin paths")
struct PathTests {
  @Test(
    "audio passes a path that is too thin for the video, which is paused and resumes", arguments: 1...5 as ClosedRange<UInt64>)
  func audioFirst(seed: UInt64) throws {
    let call = try VirtualCall(seed: seed, kbps: 600)
    call.run(seconds: 5)
    #expect(call.audioLoss(last: 4) == 0)
    call.link(kbps: 250)
    call.run(seconds: 15)
    #expect(call.states.last?.isPaused == true)
    // The first second may lose what waits in the full queue.
    #expect(call.audioLoss(last: 12) == 0)
    #expect(call.audioDelay(last: 12) < 150_000)
    #expect(call.offered(last: 12) < 250 * 1.05)
    let thin = try #require(call.path)
    let target = try #require(thin.targetKbps)
    #expect((60...260).contains(target))
    #expect(thin.isPaced)
    let counters = call.network.counters
    #expect(counters.paths == 1 && counters.limitedPaths == 1)
    #expect(counters.limitedPathBitrate / 1000 == target)
    call.link(kbps: 5000)
    call.run(seconds: 16)
    #expect(call.states.last?.isPaused == false)
    #expect(call.frames(last: 3) >= 40)
    #expect(call.path?.isPaced == false)
    #expect(call.network.counters.limitedPaths == 0)
  }

  @Test("a publisher without layers is asked for what its subscribers can take")
  func lowersPublisher() throws {
    let call = try VirtualCall(seed: 1, kbps: 600, obeys: true)
    call.run(seconds: 5)
    call.link(kbps: 400)
    call.run(seconds: 15)
    #expect(call.states.last?.isPaused != true)
    #expect(call.frames(last: 5) >= 60)
    #expect(call.audioLoss(last: 10) == 0)
    call.link(kbps: 5000)
    call.run(seconds: 15)
    #expect(call.kbps >= 590)
    #expect(call.alice.estimates.last.map { $0.bitrate > 10_000_000 } == true)
  }

  @Test(
    "a path of 640 kbit/s gets the middle of three layers within three seconds, and the largest again when it can",
    arguments: 1...5 as ClosedRange<UInt64>, [false, true])
  func layers(seed: UInt64, isViewer: Bool) throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.layersFromAliceToBob(continues: isViewer)
    var layers = VirtualLayers.large
    var conditions = LinkConditions(delay: 25_000)
    conditions.limit(rate: 5_000_000, queueing: 300)
    network.links[bob.id] = LinkModel(conditions, seed: seed)
    bob.reportPath(nacks: [9001])
    network.run(frames: 150, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111)

    conditions.limit(rate: 640_000, queueing: 300)
    network.links[bob.id]?.conditions = conditions
    network.run(frames: 90, of: &layers, from: alice)
    let change = network.now
    network.run(frames: 450, of: &layers, from: alice)
    let steady = bob.pictures().filter { $0.at >= change }
    #expect(Double(steady.count { $0.layer == 2111 }) > Double(steady.count) * 0.95)
    let frames = Set(steady.filter(\.marker).map(\.timestamp)).count
    #expect(frames > 420, "\(frames) of 450 frames")
    #expect(
      network.events.contains { if case .streamChanged(_, _, let state) = $0.event { state.height == 180 } else { false } })
    #expect(!network.events.contains { if case .streamChanged(_, _, let state) = $0.event { state.isPaused } else { false } })

    conditions.limit(rate: 5_000_000, queueing: 300)
    network.links[bob.id]?.conditions = conditions
    network.run(frames: 300, of: &layers, from: alice)
    #expect(bob.pictures().last?.layer == 3111)
  }

  @Test("a track that does not fit, and that its subscriber pauses and resumes, is reported active once it fits")
  func pausedTwice() throws {
    let call = try VirtualCall(seed: 1, kbps: 600)
    func pause(_ isPaused: Bool) {
      call.network.order(.setReception(SubscriptionID(1), Reception(isPaused: isPaused)))
    }
    call.run(seconds: 5)
    call.link(kbps: 250)
    call.run(seconds: 15)
    #expect(call.states.map(\.isPaused) == [true])
    pause(true)
    call.run(seconds: 1)
    pause(false)
    call.run(seconds: 1)
    #expect(call.states.map(\.isPaused) == [true])
    pause(true)
    call.link(kbps: 5000)
    call.run(seconds: 15)
    pause(false)
    call.run(seconds: 15)
    #expect(call.states.map(\.isPaused) == [true, false])
    #expect(call.frames(last: 3) >= 40)
  }

  @Test("without feedback nothing is paced or paused")
  func silent() throws {
    let call = try VirtualCall(seed: 1, kbps: 600, reports: false)
    call.link(kbps: 300)
    call.run(seconds: 5)
    #expect(call.states.isEmpty)
    #expect(call.path?.targetKbps == nil)
    #expect(call.network.forwarder.servedTransports.isEmpty)
  }

  @Test("without RTX a paused video is tried again, and returns when the path carries it")
  func trial() throws {
    let call = try VirtualCall(seed: 2, kbps: 600, rtx: false)
    call.run(seconds: 5)
    call.link(kbps: 250)
    call.run(seconds: 12)
    #expect(call.states.last?.isPaused == true)
    call.link(kbps: 5000)
    call.run(seconds: 35)
    #expect(call.states.last?.isPaused == false)
    #expect(call.frames(last: 3) >= 40)
  }

  @Test("resends take at most a quarter of a thin path")
  func repairs() throws {
    let call = try VirtualCall(seed: 3, kbps: 300)
    call.run(seconds: 5)
    call.link(kbps: 320, loss: 0.3)
    call.run(seconds: 20)
    let counters = call.network.counters
    #expect(counters.retransmitted > 0)
    #expect(call.offered(last: 10) < 320 * 1.05)
  }
}

/// Alice publishes audio and a video without layers; Bob receives both over a link.
final class VirtualCall {
  let network: VirtualNetwork
  let alice: VirtualClient
  let bob: VirtualClient
  /// The video's bitrate.
  private(set) var kbps: Int
  private let nominal: Int
  private let obeys: Bool
  private let seed: UInt64
  private var number: UInt16 = 1
  private var audioNumber: UInt16 = 1
  private var sent: [UInt16: Instant] = [:]
  private var nextFrame: Instant
  private var nextAudio: Instant
  private var answered = 0
  private var frame = 0

  init(seed: UInt64, kbps: Int, obeys: Bool = false, reports: Bool = true, rtx: Bool = true) throws {
    self.kbps = kbps
    self.seed = seed
    self.obeys = obeys
    nominal = kbps
    network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    (alice, bob) = (clients[0], clients[1])
    network.order(
      .publish(MediaTrackID(1), on: alice.id, Parameters.video(ssrc: 1111, rtx: 1112)),
      .publish(MediaTrackID(2), on: alice.id, Parameters.audio(ssrc: 3333)),
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: bob.id,
        Parameters.video(
          mid: "v", ssrc: 9001, rtx: rtx ? 9002 : nil, payloadType: 100,
          feedback: rtx ? [.nack, .pli, .fir, .transportCC] : [.pli, .transportCC]), continues: false),
      .subscribe(
        SubscriptionID(2), to: MediaTrackID(2), on: bob.id,
        Parameters.audio(mid: "a", ssrc: 9003), continues: false))
    nextFrame = network.now
    nextAudio = network.now
    link(kbps: 5000)
    if reports { bob.reportPath(nacks: rtx ? [9001] : []) }
  }

  func link(kbps: Int, loss: Double = 0) {
    var conditions = LinkConditions(loss: loss, delay: 25_000)
    conditions.limit(rate: Int64(kbps) * 1000, queueing: 300)
    if network.links[bob.id] == nil { network.links[bob.id] = LinkModel(conditions, seed: seed) }
    network.links[bob.id]?.conditions = conditions
  }

  func run(seconds: Int64) { run(milliseconds: seconds * 1000) }

  func run(milliseconds: Int64) {
    let end = network.now.advanced(milliseconds: milliseconds)
    while network.now < end {
      if network.now >= nextFrame { sendFrame() }
      if network.now >= nextAudio { sendAudio() }
      let next = min(nextFrame, nextAudio, end)
      network.run(milliseconds: max(1, (next - network.now) / 1000))
    }
  }

  private func sendFrame() {
    nextFrame = nextFrame.advanced(microseconds: 66_667)
    let isKey = frame == 0 || alice.pictureLosses.count > answered
    answered = alice.pictureLosses.count
    if obeys { kbps = min(nominal, alice.estimates.last.map { Int(min($0.bitrate, 10_000_000)) / 1000 - 50 } ?? nominal) }
    var left = kbps * 125 / 15 * (isKey ? 4 : 1)
    var isFirst = true
    while left > 0 {
      let length = min(left, 1100)
      left -= length
      let payload = (isFirst && isKey ? VP8Payload.key() : isFirst ? VP8Payload.delta() : [0x00, 0x55])
      alice.sendRTP(
        payloadType: 96, sequence: number, timestamp: UInt32(frame) &* 6000, ssrc: 1111, marker: left <= 0,
        payload: payload + [UInt8](repeating: 7, count: max(0, length - payload.count)))
      number &+= 1
      isFirst = false
    }
    frame += 1
  }

  private func sendAudio() {
    nextAudio = nextAudio.advanced(microseconds: 20_000)
    sent[audioNumber] = network.now
    alice.sendRTP(
      payloadType: 111, sequence: audioNumber, timestamp: UInt32(audioNumber) &* 960, ssrc: 3333,
      payload: [UInt8(audioNumber >> 8), UInt8(truncatingIfNeeded: audioNumber)] + [UInt8](repeating: 1, count: 78))
    audioNumber &+= 1
  }

  /// The statistics of Bob's transport.
  var path: TransportStatistics? { network.statistics.transports[bob.id] }

  // MARK: What Bob received

  var states: [StreamState] {
    network.events.compactMap { if case .streamChanged(_, _, let state) = $0.event { state } else { nil } }
  }

  private func recent(_ seconds: Int64, milliseconds: Int64? = nil, _ ssrcs: SSRC...) -> [(
    at: Instant, packet: TestClient.Packet
  )] {
    let start = network.now.advanced(milliseconds: -(milliseconds ?? seconds * 1000))
    return bob.packets.filter { $0.at >= start && ssrcs.contains($0.packet.header.ssrc) }
  }

  /// The audio packets that were lost among those of the last seconds.
  func audioLoss(last seconds: Int64) -> Int {
    let numbers = recent(seconds, 9003).map(\.packet.header.sequenceNumber)
    guard let first = numbers.first, let last = numbers.last else { return Int(seconds) * 50 }
    return Int(last &- first) + 1 - numbers.count
  }

  /// The longest delay of an audio packet in microseconds.
  func audioDelay(last seconds: Int64, milliseconds: Int64? = nil) -> Int64 {
    recent(seconds, milliseconds: milliseconds, 9003).compactMap { entry in
      let payload = entry.packet.payload
      return sent[UInt16(payload[0]) << 8 | UInt16(payload[1])].map { entry.at - $0 }
    }.max() ?? .max
  }

  /// What reached Bob, in kbit/s with IP headers.
  func offered(last seconds: Int64) -> Double {
    Double(recent(seconds, 9001, 9002, 9003).reduce(0) { $0 + $1.packet.bytes.count + 38 } * 8) / 1000 / Double(seconds)
  }

  func frames(last seconds: Int64) -> Int { Set(recent(seconds, 9001).map(\.packet.header.timestamp)).count }
}
