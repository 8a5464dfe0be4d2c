import Testing

@testable import RoomLoadtest

@Suite("The figures of changes of layer")
struct LayerChangeFiguresTests {
  private func sample(_ index: Int) -> PageSample {
    var sample = PageSample(at: Double(index) * 200)
    sample.video.totalFreezesDuration = 0
    sample.video.framesDropped = 3
    sample.video.pliCount = 1
    sample.video.decoderImplementation = "libvpx"
    sample.video.estimatedPlayoutTimestamp = 900 + Double(index) * 200
    sample.audio.estimatedPlayoutTimestamp = 880 + Double(index) * 200
    return sample
  }

  private func figures(
    _ changes: [(asked: Double, shown: Double?)], pictures: [Double] = [],
    _ change: (Int, inout PageSample) -> Void = { _, _ in }
  ) -> [NetworkFigure: Double] {
    let record = LayerChanges(
      changes: changes.map { .init(height: 90, asked: $0.asked, shown: $0.shown) },
      pictures: pictures.enumerated().map { .init(at: $1, height: 90, number: Double($0)) })
    let samples = (0..<50).map { index in
      var sample = sample(index)
      change(index, &sample)
      return sample
    }
    return LayerChangeFigures(record: record, planned: changes.count, samples: samples).figures()
  }

  @Test("changes that were shown have a time, and others are missed")
  func times() {
    let figures = figures([(1000, 1100), (2000, nil), (3000, 3300), (4000, 4150)])
    #expect(figures[.layerChanges] == 3 && figures[.layerChangesMissed] == 1)
    #expect(figures[.layerChangeP50] == 150 && figures[.layerChangeMax] == 300)
  }

  @Test("a steady stream has no freeze, no fault and no change of offset")
  func steady() {
    let figures = figures([(0, 100)], pictures: [0, 50, 100, 150])
    #expect(figures[.longestFreeze] == 0 && figures[.longestGap] == 50)
    #expect(figures[.dropped] == 0 && figures[.decoderFaults] == 0 && figures[.offsetMoves] == 0)
  }

  @Test("the longest freeze is one that ended between two samples; requests and another decoder are faults")
  func faults() {
    let figures = figures([(0, 100)], pictures: [0, 50, 700, 750]) { index, sample in
      sample.video.totalFreezesDuration = index < 10 ? 0 : index < 20 ? 0.25 : 0.9
      sample.video.framesDropped = index < 10 ? 3 : 5
      sample.video.pliCount = index < 30 ? 1 : 3
      sample.video.decoderImplementation = index < 40 ? "libvpx" : "FFmpeg"
      if index.isMultiple(of: 2) { sample.audio.estimatedPlayoutTimestamp? += 30 }
    }
    #expect(figures[.longestFreeze].map { abs($0 - 650) < 0.01 } == true && figures[.longestGap] == 650)
    #expect(figures[.dropped] == 2 && figures[.decoderFaults] == 3 && figures[.offsetMoves] == 30)
  }

  @Test("a plan asks for another layer each time, in an order that its seed decides")
  func plan() {
    let heights = LayerChangePlan(count: 1000, seed: 7).heights
    #expect(heights.count == 1000 && heights.first != 360)
    #expect(zip(heights, heights.dropFirst()).allSatisfy { $0 != $1 })
    #expect(Set(heights) == [90, 180, 360])
    #expect(heights == LayerChangePlan(count: 1000, seed: 7).heights)
    #expect(heights != LayerChangePlan(count: 1000, seed: 8).heights)
  }
}
