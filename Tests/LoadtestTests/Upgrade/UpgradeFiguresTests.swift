import RoomRTMP
import Testing

@testable import RoomLoadtest

@Suite("The figures of an upgrade")
struct UpgradeFiguresTests {
  private let begin = ContinuousClock.now

  @Test("a gap ends with what arrives of the same user; one that is open counts")
  func gaps() {
    var gaps = Gaps()
    #expect(gaps.longest(at: begin) == nil && gaps.users.isEmpty)
    for (user, time) in [("ann", 0), ("bob", 100), ("ann", 300), ("bob", 200)] {
      gaps.received(from: .init(user), at: begin + .milliseconds(time))
    }
    #expect(gaps.users == ["ann", "bob"])
    let closed = Gaps.Gap(user: "ann", begin: begin, length: .milliseconds(300))
    #expect(gaps.longest(at: begin + .milliseconds(310)) == closed)
    let open = Gaps.Gap(user: "bob", begin: begin + .milliseconds(200), length: .milliseconds(700))
    #expect(gaps.longest(at: begin + .milliseconds(900)) == open)
    gaps.reset(at: begin + .milliseconds(1000))
    #expect(gaps.longest(at: begin + .milliseconds(1050))?.length == .milliseconds(50))
  }

  @Test("timestamps are compared for each kind, over connections and the end of 32 bits; headers do not count")
  func timestamps() {
    func video(_ timestamp: UInt32, isHeader: Bool = false) -> MediaMessage {
      MediaMessage(.video, timestamp: timestamp, payload: [0x17, isHeader ? 0 : 1, 0, 0, 0, 1])
    }
    func audio(_ timestamp: UInt32) -> MediaMessage { MediaMessage(.audio, timestamp: timestamp, payload: [0xAF, 1, 1]) }
    var stream = PublishedStream()
    stream.began()
    stream.received(video(.max - 10))
    stream.received(audio(.max - 20))
    stream.received(video(56))
    #expect((stream.connections, stream.messages, stream.longestStep, stream.backward) == (1, 3, 67, 0))
    stream.began()
    stream.received(video(0, isHeader: true))
    stream.received(audio(500))
    stream.received(video(50))
    #expect((stream.connections, stream.messages, stream.longestStep, stream.backward) == (2, 5, 521, 1))
  }

  @Test("the longest wait is between two pictures, or two pieces of sound, over connections")
  func waits() {
    let begin = ContinuousClock.now
    var stream = PublishedStream()
    for (time, kind) in [(0, MediaMessage.Kind.audio), (10, .video), (30, .audio), (110, .video), (900, .audio)] {
      if time == 900 { stream.began() }
      let payload: [UInt8] = kind == .audio ? [0xAF, 1, 1] : [0x17, 1, 0, 0, 0, 1]
      stream.received(.init(kind, timestamp: UInt32(time), payload: payload), at: begin + .milliseconds(time))
    }
    #expect(stream.longestWait == .milliseconds(870))
  }

  @Test("a report is complete only if nothing was lost")
  func reports() {
    let good = UpgradeReport(
      silenceMs: 300, freezeMs: 400, quietest: "a", joins: 4, listeners: 2, lostListeners: [], lostRooms: [], pk: true,
      onAir: 2,
      lives: 2, longestStepMs: 500, backward: 0, connections: 4)
    #expect(good.isComplete)
    let changes: [(inout UpgradeReport) -> Void] = [
      { $0.lostListeners = ["a"] }, { $0.lostRooms = ["red"] }, { $0.pk = false }, { $0.onAir = 1 }, { $0.backward = 1 },
    ]
    for change in changes {
      var bad = good
      change(&bad)
      #expect(!bad.isComplete)
    }
  }

  @Test("options out of range are refused")
  func options() throws {
    #expect(throws: (any Error).self) { try Upgrade.parse(["--listeners", "0"]) }
    for arguments in [["--rate", "0"], ["--rooms", "0"], ["--seconds", "0"], ["--make", "--made"]] {
      #expect(throws: (any Error).self) { try JoinRate.parse(arguments) }
    }
    #expect(try JoinRate.parse(["--node", "ws://a", "--node", "ws://b"]).node.count == 2)
  }
}
