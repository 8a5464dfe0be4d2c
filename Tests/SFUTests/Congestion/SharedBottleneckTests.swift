import Testing

@testable import RoomSFU

@Suite("shared bottlenecks")
struct SharedBottleneckTests {
  private static func member(
    queue: Int64 = 0, delivered: Int, target: Int? = nil, probed: Double? = nil, audio: [Int] = [], video: Int = 0
  ) -> SharedBottleneck.Member {
    .init(queue: queue, delivered: delivered, target: target, probed: probed, audio: audio, video: video)
  }

  @Test("nothing is divided before most of the paths wait at once")
  func unknown() throws {
    var bottleneck = SharedBottleneck()
    let waiting = Self.member(queue: 90_000, delivered: 400_000, video: 900_000)
    let free = Self.member(delivered: 400_000, video: 900_000)
    for members in [[free, free], [waiting, free]] {
      let shares = bottleneck.update(members)
      #expect(shares == nil)
    }
    _ = try bottleneck.shares([waiting, waiting])
    #expect(bottleneck.capacity == 800_000)
  }

  @Test("audio of all comes before video of one, and video is shared evenly")
  func audioFirst() throws {
    var bottleneck = SharedBottleneck()
    let measured = { (audio: [Int], video: Int) in Self.member(queue: 40_000, delivered: 500_000, audio: audio, video: video) }
    let rich = try bottleneck.shares([measured([50_000], 2_000_000), measured([50_000], 2_000_000)])
    #expect(abs(rich[0] - rich[1]) <= 1)
    #expect(rich[0] > 400_000 && rich[0] < 520_000)
    // Ten streams of audio do not fit: no video.
    let audio = [Int](repeating: 120_000, count: 5)
    let poor = try bottleneck.shares([measured(audio, 2_000_000), measured(audio, 0)])
    #expect(poor.allSatisfy { (360_000...540_000).contains($0) })
  }

  @Test("what one path leaves is the other's")
  func uneven() throws {
    var bottleneck = SharedBottleneck()
    let shares = try bottleneck.shares([
      Self.member(queue: 40_000, delivered: 100_000, audio: [40_000], video: 60_000),
      Self.member(queue: 40_000, delivered: 900_000, audio: [40_000], video: 3_000_000),
    ])
    #expect(shares[1] > 7 * shares[0])
  }

  @Test("the capacity grows with the targets, no further than what arrives or a probe proves")
  func growth() throws {
    var bottleneck = SharedBottleneck()
    func update(queue: Int64 = 0, target: Int?, probed: Double? = nil) throws -> [Int] {
      let member = Self.member(queue: queue, delivered: 500_000, target: target, probed: probed, video: 3_000_000)
      return try bottleneck.shares([member, member])
    }
    let first = try update(queue: 40_000, target: nil)
    _ = try update(target: first[0] + 10_000)
    #expect(bottleneck.capacity.map { abs($0 - 1_020_000) < 10 } == true)
    for _ in 0..<20 { _ = try update(target: 5_000_000) }
    #expect(bottleneck.capacity.map { $0 < 1_150_000 } == true)
    _ = try update(target: 1_500_000, probed: 1_500_000)
    #expect(bottleneck.capacity.map { (1_700_000...2_000_000).contains($0) } == true)
    // A smaller capacity is noticed at once.
    _ = try update(queue: 60_000, target: nil)
    #expect(bottleneck.capacity == 1_000_000)
  }

  @Test("less is used while the queue drains")
  func drain() throws {
    var bottleneck = SharedBottleneck()
    func share(queue: Int64) throws -> Int {
      let member = Self.member(queue: queue, delivered: 500_000, video: 3_000_000)
      return try bottleneck.shares([member, member])[0]
    }
    let long = try share(queue: 250_000)
    let short = try share(queue: 50_000)
    let none = try share(queue: 0)
    #expect(long < short && short < none)
  }
}

extension SharedBottleneck {
  fileprivate mutating func shares(_ members: [Member]) throws -> [Int] {
    let shares = update(members)
    return try #require(shares)
  }
}
