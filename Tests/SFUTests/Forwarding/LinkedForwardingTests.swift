import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

/// The tests of one worker, with two: every other client is at the second, and gets its tracks by links.
@Suite("forwarder: subscribers at another worker get the same")
struct LinkedForwardingTests {
  private func withTwoWorkers(_ body: () throws -> Void) rethrows { try VirtualNetwork.$workers.withValue(2, operation: body) }

  @Test("dependency descriptors, also when the publisher restarts") func dependencyDescriptors() throws {
    try withTwoWorkers {
      try DependencyDescriptorTests().unchanged()
      try DependencyDescriptorTests().restart()
      try DependencyDescriptorTests().without()
    }
  }

  @Test("layers by size, shape, death, repair, tap, and at random") func layers() throws {
    try withTwoWorkers {
      let tests = LayerTests()
      try tests.best()
      try tests.shape()
      for reportsClock in [true, false] { try tests.limits(reportsClock: reportsClock) }
      try tests.dead()
      for rtx in [true, false] { try tests.repair(rtx: rtx) }
      try tests.reported()
      try tests.tap()
      for seed in 1...3 as ClosedRange<UInt64> { try tests.random(seed: seed) }
    }
  }

  @Test("changes of layer cut no frame") func layerSwitching() throws {
    try withTwoWorkers {
      try LayerSwitchingTests().whole(milliseconds: 2)
      try LayerSwitchingTests().endless()
      try LayerSwitchingTests().several()
      try LayerSwitchingTests().repairOfPaced()
    }
  }

  @Test("sender reports with the publisher's clock, levels and speakers") func clocks() throws {
    try withTwoWorkers {
      try SenderReportTests().publishersClock()
      try SenderReportTests().wallClock()
      try SenderReportTests().restart()
      try AudioLevelTests().levels()
      try AudioLevelTests().ranking()
    }
  }

  @Test("what the publisher lost is repaired, and audio restored from copies") func repair() throws {
    try withTwoWorkers {
      try RetransmissionTests().throttled()
      try RetransmissionTests().patience()
      try RetransmissionTests().lossy(seed: 1)
      try RestoredAudioTests().lossy(seed: 1)
      try RestoredAudioTests().random(seed: 1)
      try RestoredAudioTests().muted()
    }
  }

  @Test("temporal layers") func temporalLayers() throws {
    try withTwoWorkers {
      try TemporalLayerTests().frameRates(kbps: 90, seed: 1)
      try TemporalLayerTests().repair(rtx: true)
      try TemporalLayerTests().belowSmallest()
      try TemporalLayerTests().random(seed: 1)
    }
  }

  @Test("thin paths: layers fall, audio stays, publishers are asked for less") func thinPaths() throws {
    try withTwoWorkers {
      try PathTests().audioFirst(seed: 1)
      try PathTests().lowersPublisher()
      try PathTests().layers(seed: 1, isViewer: true)
      try PathScenarioTests().start()
      for frames in 31...32 { try PathScenarioTests().unknownRates(frames: frames) }
    }
  }

  @Test("a layer that no subscriber of any worker uses is not wanted after five seconds, and wanted again within 200 ms")
  func demand() throws {
    try withTwoWorkers {
      let network = try VirtualNetwork()
      let clients = try network.connectedClients(2)
      let track = MediaTrackID(1)
      var published = VirtualLayers.parameters()
      for (index, rid) in (["q", "h", "f"] as [Rid]).enumerated() { published.encodings[index].rid = rid }
      network.order(
        .publish(track, on: clients[0].id, published),
        .subscribe(
          SubscriptionID(1), to: track, on: clients[1].id,
          Parameters.video(mid: "v", ssrc: 9001, rtx: 9002, payloadType: 100), continues: false),
        .setReception(SubscriptionID(1), Reception(maxHeight: 180)))
      var layers = VirtualLayers()
      func wanted() -> [Int] {
        network.events.compactMap { if case .layersWanted(track, let rids) = $0.event { rids.count } else { nil } }
      }
      network.run(frames: 140, of: &layers, from: clients[0])
      #expect(wanted() == [])
      network.run(frames: 30, of: &layers, from: clients[0])
      #expect(wanted() == [2])
      network.order(.setReception(SubscriptionID(1), Reception()))
      network.run(frames: 6, of: &layers, from: clients[0])
      #expect(wanted() == [2, 3])
    }
  }
}
