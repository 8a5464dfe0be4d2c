import RoomLinkModel
import RoomNodeLink
import RoomRTP
import Testing

@Suite("Node link: paths that carry less than the streams need") struct NarrowLinkTests {
  private func narrow(
    _ rate: Int64, queue: Int64 = 300, roundTrip: Int64 = 40, loss: Double = 0
  ) -> LinkConditions {
    var conditions = LinkConditions(loss: loss, delay: roundTrip * 500)
    conditions.limit(rate: rate, queueing: queue)
    return conditions
  }

  private func show(_ conditions: LinkConditions, videos: [[Int]], seed: UInt64 = 1, isAdaptive: Bool = true) throws
    -> VirtualShow
  {
    let nodes = try VirtualNodes(
      down: conditions, up: LinkConditions(loss: conditions.loss, delay: conditions.delay), seed: seed)
    return VirtualShow(nodes, videos: videos, isAdaptive: isAdaptive)
  }

  private func report(_ name: String, _ show: VirtualShow, from: Instant) {
    let times = show.audioDelays(from: from)
    print(
      name, "audio gap \(show.longestAudioGap(from: from)) µs, delay p50 \(times[times.count / 2]) longest \(times.last ?? 0),",
      show.viewers.map { "freeze \($0.longestFreeze(from: from, to: show.nodes.now)) at layer \($0.current)" },
      show.nodes.near.adaptation, "lost \(show.nodes.far.counters.lost)")
  }

  @Test("a link that narrows from 20 to 3 Mbit/s: audio without gaps, smaller layers at once, larger ones again with the link")
  func narrows() throws {
    let show = try show(narrow(20_000_000), videos: [[2500, 700, 150], [2500, 700, 150]])
    show.run(milliseconds: 5_000)
    #expect(show.nodes.near.adaptation.limit == nil)
    let narrowed = show.nodes.now
    show.nodes.down.conditions = narrow(3_000_000)
    show.run(milliseconds: 20_000)
    report("20 to 3 Mbit/s:", show, from: narrowed)
    #expect(show.longestAudioGap(from: narrowed) <= 60_000)
    #expect(show.nodes.near.adaptation.held == 2)
    #expect(show.nodes.nearEvents.contains(.held(2)))
    for viewer in show.viewers {
      let lower = try #require(viewer.first(of: 1, from: narrowed))
      #expect(lower - narrowed < 2_000_000)
      #expect(viewer.longestFreeze(from: narrowed, to: show.nodes.now) < 2_000_000)
    }
    let widened = show.nodes.now
    show.nodes.down.conditions = narrow(20_000_000)
    show.run(milliseconds: 10_000)
    report("3 to 20 Mbit/s:", show, from: widened)
    #expect(show.longestAudioGap(from: widened) <= 60_000)
    for viewer in show.viewers {
      let upper = try #require(viewer.first(of: 0, from: widened))
      #expect(upper - widened < 10_000_000)
      #expect(viewer.longestFreeze(from: widened, to: show.nodes.now) < 500_000)
    }
    // In the end the link has no limit again.
    show.run(milliseconds: 15_000)
    #expect(show.nodes.near.adaptation == LinkAdaptation())
    let held = show.nodes.nearEvents.compactMap { if case .held(let count) = $0 { count } else { nil } }
    #expect(held.last == 0)
    #expect(show.viewers.map(\.current) == [0, 0])
  }

  @Test("5 Mbit/s for what needs 8: each video has a layer, without gaps", arguments: [60, 300])
  func tooMuch(queue: Int64) throws {
    let show = try show(narrow(5_000_000, queue: queue), videos: [[4000, 1000, 250], [4000, 1000, 250]])
    show.run(milliseconds: 5_000)
    let settled = show.nodes.now
    show.run(milliseconds: 25_000)
    report("5 Mbit/s, queue of \(queue) ms:", show, from: settled)
    #expect(show.longestAudioGap(from: settled) <= 60_000)
    for viewer in show.viewers { #expect(viewer.longestFreeze(from: settled, to: show.nodes.now) < 400_000) }
  }

  @Test(
    "5 % loss and 100 ms of round trip: repaired before the playout, on a wide link and on a narrow one", arguments: [100, 4])
  func lossy(megabits: Int64) throws {
    let show = try show(
      narrow(megabits * 1_000_000, roundTrip: 100, loss: 0.05), videos: [[2500, 700, 150], [2500, 700, 150]])
    show.run(milliseconds: 5_000)
    let settled = show.nodes.now
    show.run(milliseconds: 20_000)
    report("5 % loss, \(megabits) Mbit/s:", show, from: settled)
    let times = show.audioDelays(from: settled)
    let early = Double(times.count { $0 <= 250_000 }) / Double(times.count)
    let earlyVideo = show.shareOfVideo(within: 250_000, from: settled)
    print("within 250 ms: \(early) of the audio, \(earlyVideo) of the video")
    #expect(early > 0.997)
    #expect(earlyVideo > (megabits > 10 ? 0.997 : 0.98))
  }

  @Test(
    "six videos on other paths: all that fits has a picture, and the largest layers return",
    arguments: [(1_500, 10, 50), (1_500, 150, 500), (3_000, 10, 50), (3_000, 40, 1_000), (5_000, 150, 500), (5_000, 40, 200)])
  func others(kbps: Int64, roundTrip: Int64, queue: Int64) throws {
    func conditions(_ kbps: Int64) -> LinkConditions { narrow(kbps * 1000, queue: queue, roundTrip: roundTrip) }
    let show = try show(conditions(20_000), videos: Array(repeating: [1200, 400, 100], count: 6))
    show.run(milliseconds: 4_000)
    show.nodes.down.conditions = conditions(kbps)
    show.run(milliseconds: 5_000)
    let settled = show.nodes.now
    show.run(milliseconds: 15_000)
    report("\(kbps) kbit/s, \(roundTrip) ms, queue of \(queue) ms:", show, from: settled)
    let widened = show.nodes.now
    show.nodes.down.conditions = conditions(20_000)
    show.run(milliseconds: 10_000)
    #expect(show.longestAudioGap(from: settled) <= 80_000)
    for viewer in show.viewers {
      #expect(viewer.longestFreeze(from: settled, to: widened) < 1_000_000)
      #expect(viewer.layer(at: show.nodes.now) == 0)
    }
  }

  @Test("a bottleneck without a queue, which only loses", arguments: [10, 20] as [Int64]) func policed(queue: Int64) throws {
    let show = try show(narrow(20_000_000, queue: queue), videos: [[2500, 700, 150], [2500, 700, 150]])
    show.run(milliseconds: 4_000)
    let narrowed = show.nodes.now
    show.nodes.down.conditions = narrow(3_000_000, queue: queue)
    show.run(milliseconds: 5_000)
    report("policed, narrowed:", show, from: narrowed)
    let settled = show.nodes.now
    show.run(milliseconds: 10_000)
    report("policed, settled:", show, from: settled)
    #expect(show.longestAudioGap(from: narrowed) <= 60_000)
    for viewer in show.viewers {
      #expect(viewer.longestFreeze(from: narrowed, to: settled) < 3_500_000)
      #expect(viewer.longestFreeze(from: settled, to: show.nodes.now) < 500_000)
    }
  }

  @Test("a node without feedback of arrivals: all is sent as it comes") func earlier() throws {
    let show = try show(narrow(3_000_000), videos: [[2500, 700, 150], [2500, 700, 150]], isAdaptive: false)
    show.run(milliseconds: 5_000)
    #expect(show.nodes.near.adaptation == LinkAdaptation())
    #expect(show.nodes.near.counters.recordsHeld == 0)
  }
}
