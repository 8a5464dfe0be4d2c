import RoomRTMP
import RoomRTP
import Testing

@testable import RoomOriginServer

@Suite("The pull of a stream from another server, in virtual time")
struct StreamPullTests {
  private static let a = StreamServer(name: "a", address: "http://a")
  private static let c = StreamServer(name: "c", address: "http://c")
  private static let unknown = OriginRefusal(.registry, "away")

  /// A pull with a clock.
  private struct Pull {
    var now = Instant(microseconds: 0)
    var pull = StreamPull(from: StreamPullTests.a, now: Instant(microseconds: 0))
    var viewers = 1

    var step: StreamPull.Step {
      mutating get {
        _ = check
        return pull.next(now: now)
      }
    }
    var check: StreamPull.Check { mutating get { pull.checked(viewers: viewers, now: now) } }

    mutating func pass(_ milliseconds: Int64) { now = now.advanced(microseconds: milliseconds * 1000) }
    mutating func receive() { pull.received(now: now) }
    mutating func lose() { pull.lost(now: now) }
    mutating func find(_ result: Result<StreamServer?, OriginRefusal>) { pull.found(result, now: now) }
  }

  @Test("without viewers it ends after the idle time, also while it is silent or looks for a server")
  func idle() {
    var pull = Pull()
    #expect(pull.step == .read(Self.a))
    pull.viewers = 0
    pull.pass(4000)
    // Such as a watch page, which plays later.
    pull.pull.wanted(now: pull.now)
    for _ in 0..<20 {
      pull.pass(250)
      pull.receive()
      #expect(pull.check == .goOn)
    }
    pull.pass(250)
    #expect(pull.check == .interrupt)
    pull.lose()
    #expect(pull.step == .end(.noViewers) && pull.pull.losses == 0)

    var searching = Pull()
    searching.lose()
    searching.viewers = 0
    searching.pass(5001)
    #expect(searching.step == .end(.noViewers))
  }

  @Test("after a loss it asks again, after waits that double, and continues from the next server")
  func takeover() {
    var pull = Pull()
    pull.pass(2000)
    pull.receive()
    var waits: [Int64] = []
    for _ in 0..<7 {
      pull.lose()
      guard case .wait(let until) = pull.step else { return #expect(Bool(false), "no wait") }
      waits.append((until - pull.now) / 1000)
      pull.now = until
      #expect(pull.step == .find)
      pull.find(.success(Self.a))
      #expect(pull.step == .read(Self.a))
    }
    #expect(waits == [100, 200, 400, 800, 1600, 2000, 2000])
    pull.lose()
    pull.pass(2000)
    #expect(pull.step == .find)
    pull.find(.success(Self.c))
    #expect(pull.step == .read(Self.c))
    // A connection that lasts makes the next loss the first of a series.
    pull.pass(1500)
    pull.receive()
    pull.lose()
    guard case .wait(let until) = pull.step else { return #expect(Bool(false), "no wait") }
    #expect(until - pull.now == 100_000 && pull.pull.losses == 9)
  }

  @Test("a stream that nobody publishes ends after the search time; a registry that is away is no such answer")
  func gone() {
    var pull = Pull()
    pull.pass(3000)
    pull.receive()
    pull.lose()
    pull.pass(100)
    #expect(pull.step == .find)
    pull.find(.failure(Self.unknown))
    #expect(pull.step == .read(Self.a))
    pull.lose()
    var searches = 0
    while pull.step != .end(.gone), searches < 100 {
      if pull.step == .find {
        searches += 1
        pull.find(.success(nil))
      }
      pull.pass(50)
    }
    #expect((10...16).contains(searches) && pull.now == Instant(microseconds: 23_050_000), "\(searches) \(pull.now)")
  }

  @Test("a silent connection is doubted: it stays while its server has the stream or nobody has, and else the other is read")
  func silence() {
    var pull = Pull()
    pull.pass(1000)
    pull.receive()
    pull.pass(1999)
    #expect(pull.check == .goOn)
    pull.pass(1)
    #expect(pull.check == .ask)
    #expect(!pull.pull.doubted(.success(Self.a)) && !pull.pull.doubted(.success(nil)))
    #expect(!pull.pull.doubted(.failure(Self.unknown)) && pull.pull.doubted(.success(Self.c)))
    #expect(pull.check == .goOn)
    pull.pass(2000)
    #expect(pull.check == .ask)
  }

  @Test("a connection that stays silent for too long is lost")
  func dead() {
    var pull = Pull()
    var end: Instant?
    while end == nil, pull.now < Instant(microseconds: 60_000_000) {
      pull.pass(250)
      if pull.check == .interrupt { end = pull.now }
    }
    #expect(end == Instant(microseconds: 30_250_000), "\(String(describing: end))")
  }
}

@Suite("The seam between two connections of a pull")
struct PullSeamTests {
  /// A seam with a clock.
  private struct Seam {
    var seam = PullSeam()
    var now = Instant(microseconds: 0)

    mutating func join(_ message: MediaMessage) -> UInt32? { seam.joined(message, now: now)?.timestamp }

    /// Passes frames each 40 ms from `first` to `last`, one of which is a key frame, with sound. Returns the times of those that
    /// viewers get.
    mutating func pass(_ first: UInt32, _ last: UInt32, key: UInt32) -> [UInt32] {
      var times: [UInt32] = []
      let headers = [LiveSample.metadata, LiveSample.videoHeader, LiveSample.audioHeader].compactMap { join($0) }
      #expect(headers == [0, 0, 0])
      for step in stride(from: 0, through: last &- first, by: 40) {
        let time = first &+ step
        if let time = join(LiveSample.video(time, isKeyFrame: time == key)) { times.append(time) }
        _ = join(LiveSample.audio(time &+ 5))
        now = now.advanced(microseconds: 40_000)
      }
      return times
    }

    /// Connects after a second.
    mutating func connect(isSame: Bool) {
      now = now.advanced(microseconds: 1_000_000)
      seam.connected(isSame: isSame)
    }
  }

  /// A seam that has passed pictures from 1000 to 1400 ms of its first server.
  private var begun: Seam {
    var seam = Seam()
    seam.connect(isSame: false)
    #expect(seam.pass(1000, 1400, key: 1000).count == 11)
    return seam
  }

  @Test("the same server repeats the last group, of which viewers get what follows")
  func same() {
    var seam = begun
    seam.connect(isSame: true)
    #expect(seam.pass(1000, 1600, key: 1000) == [1440, 1480, 1520, 1560, 1600])
  }

  @Test("another server that continues the times does so from a key frame on, unchanged")
  func moved() {
    var seam = begun
    seam.connect(isSame: false)
    #expect(seam.pass(2400, 2600, key: 2480) == [2480, 2520, 2560, 2600])
  }

  @Test("another server with other times follows after the elapsed time, also in its next connection")
  func other() {
    for first in [0, 500_000, .max - 99] as [UInt32] {
      var seam = begun
      seam.connect(isSame: false)
      // The last sound had 1405 ms, 40 ms and a second before.
      let times = seam.pass(first, first &+ 80, key: first)
      #expect(times == [2445, 2485, 2525], "\(first): \(times)")
      seam.connect(isSame: true)
      let next = [80, 120].map { seam.join(LiveSample.video(first &+ $0)) }
      #expect(next == [nil, 2565], "\(first): \(next)")
    }
  }

  @Test("times wrap around 32 bits")
  func wrap() {
    var seam = Seam()
    let frames = [LiveSample.video(.max - 39, isKeyFrame: true), LiveSample.video(0)]
    seam.connect(isSame: false)
    #expect(frames.prefix(1).map { seam.join($0) } == [.max - 39])
    seam.connect(isSame: true)
    #expect(frames.map { seam.join($0) } == [nil, 0])
  }
}
