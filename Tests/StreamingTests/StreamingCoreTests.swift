import RoomClient
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomStreaming

/// A session's decisions in virtual time, with the answers of the network.
private struct World {
  var core: StreamingCore
  var now = Instant(microseconds: 0)
  var random = SeededGenerator(seed: 11)
  var states: [StreamingState] = []
  var failures: [StreamingFailure] = []
  var opened: [(connection: Int, at: Instant)] = []
  var rates: [EncodingRate] = []
  var statuses: [(status: StreamingStatus, at: Instant)] = []
  /// What the connection has sent; nil if it does not answer.
  var progress: StreamingProgress? = StreamingProgress()
  /// Whether a server accepts the stream at once; nil leaves connections open.
  var answer: StreamingFailure??

  init(_ options: StreamingOptions = .init(), bitrate: Int = 1_000_000, fps: Int = 24) {
    core = StreamingCore(bitrate: bitrate, fps: fps, options: options)
    answer = .some(nil)
  }

  mutating func drain() {
    while let output = core.nextOutput() {
      switch output {
      case .open(let connection):
        opened.append((connection, now))
        switch answer {
        case nil: break
        case .some(nil): core.opened(connection, now: now)
        case .some(let failure?): core.failed(connection, failure, now: now, using: &random)
        }
      case .close(let connection): core.closed(connection, now: now)
      case .state(let state, let failure):
        states.append(state)
        if let failure { failures.append(failure) }
      case .encode(let rate): rates.append(rate)
      case .measure(let connection): if let progress { core.measured(connection, progress, now: now) }
      case .status(let status): statuses.append((status, now))
      }
    }
  }

  mutating func start() {
    core.start(now: now)
    drain()
  }

  mutating func lose(_ failure: StreamingFailure = .connectionLost("reset")) {
    guard let last = opened.last else { return }
    core.failed(last.connection, failure, now: now, using: &random)
    drain()
  }

  /// Runs for a number of seconds in steps of 10 ms. `each` changes the progress once in each step.
  mutating func run(_ seconds: Double, each: (inout World) -> Void = { _ in }) {
    let end = now.advanced(microseconds: Int64(seconds * 1_000_000))
    while now < end {
      now = now.advanced(microseconds: 10_000)
      each(&self)
      if let deadline = core.deadline, deadline <= now { core.advance(to: now) }
      drain()
    }
  }
}

@Suite("Streaming: states and reconnects")
struct StreamingStateTests {
  @Test("a push that is started and stopped has four states; unknown is before the first")
  func normal() {
    var world = World()
    #expect(world.core.state == .unknown)
    world.start()
    #expect(world.states == [.connecting, .connected])
    world.core.stop(now: world.now)
    world.drain()
    #expect(world.states == [.connecting, .connected, .disconnecting, .disconnected])
    #expect(world.failures.isEmpty && !world.core.isRunning && world.core.deadline == nil)
    world.start()
    #expect(world.states.suffix(2) == [.connecting, .connected])
  }

  @Test("the first connection is not tried again, whatever the switch says")
  func refused() {
    var world = World(.init(reconnects: .default))
    world.answer = .unreachable("refused")
    world.start()
    world.run(20)
    #expect(world.states == [.connecting, .error])
    #expect(world.failures == [.unreachable("refused")] && world.opened.count == 1)
  }

  @Test("without the switch, a lost connection is an error at once")
  func off() {
    var world = World()
    world.start()
    world.run(5)
    world.lose()
    #expect(world.states == [.connecting, .connected, .error])
    #expect(world.opened.count == 1)
  }

  @Test("with the switch, three tries follow after waits of 0–2, 2–4 and 4–6 s; only then it is an error", arguments: 1...20)
  func waits(seed: UInt64) {
    var world = World(.init(reconnects: .default))
    world.random = SeededGenerator(seed: seed)
    world.start()
    world.run(1)
    let lost = world.now
    world.answer = .unreachable("refused")
    world.lose()
    world.run(20)
    #expect(world.states.first == .connecting && world.states.last == .error)
    #expect(world.states.dropFirst(2).dropLast().allSatisfy { $0 == .autoReconnecting })
    #expect(world.opened.count == 4)
    var before = lost
    for (index, range) in [0.0...2.1, 2.0...4.1, 4.0...6.1].enumerated() {
      let wait = Double(world.opened[index + 1].at - before) / 1_000_000
      #expect(range.contains(wait), "try \(index + 1) after \(wait) s")
      before = world.opened[index + 1].at
    }
  }

  @Test("a connection that lasted 10 s begins a new count of tries; one that did not, does not", arguments: [true, false])
  func count(isSteady: Bool) {
    var world = World(.init(reconnects: .default))
    world.start()
    for _ in 0..<5 {
      world.run(isSteady ? 20 : 0.5)
      world.lose()
      world.run(6.5)
    }
    #expect((world.states.last == .error) == !isSteady)
  }

  @Test("an expired URL ends the push, however many tries are left")
  func expired() {
    var world = World(.init(reconnects: .unlimited))
    world.start()
    world.run(1)
    world.answer = StreamingFailure(answer: "the signed URL has expired")
    world.lose()
    world.run(10)
    #expect(world.states.last == .error)
    #expect(world.failures.last == .expired("the signed URL has expired"))
  }

  @Test("a stop during the wait ends the push at once, and a restart ends the wait")
  func waiting() {
    var world = World(.init(reconnects: .init(waits: [.seconds(5) ... .seconds(5)])))
    world.start()
    world.lose()
    world.core.restart(now: world.now)
    world.drain()
    #expect(world.states == [.connecting, .connected, .autoReconnecting, .connected])
    world.lose()
    world.core.stop(now: world.now)
    world.drain()
    #expect(world.states.suffix(2) == [.autoReconnecting, .disconnected])
    world.run(20)
    #expect(world.opened.count == 2)
  }

  @Test("a restart replaces the connection, and events of the old one change nothing")
  func restart() {
    var world = World()
    world.start()
    world.core.restart(now: world.now)
    world.drain()
    #expect(world.states == [.connecting, .connected, .autoReconnecting, .connected])
    world.core.failed(world.opened[0].connection, .stalled, now: world.now, using: &world.random)
    world.drain()
    #expect(world.core.state == .connected)
  }

  @Test("a server that does not end the stream delays a stop by 2 s at most")
  func silent() {
    var world = World()
    world.answer = .some(nil)
    world.start()
    world.core.stop(now: world.now)
    while let output = world.core.nextOutput() { if case .state(let state, _) = output { world.states.append(state) } }
    #expect(world.core.state == .disconnecting)
    world.run(2.1)
    #expect(world.core.state == .disconnected)
  }
}

@Suite("Streaming: reports and the encoder")
struct StreamingRateTests {
  private func media(_ world: inout World) {
    // 24 pictures and 43 packets of audio in 1 s, in steps of 10 ms.
    let steps = UInt64(world.now.microseconds / 10_000)
    world.progress?.pictures = steps * 24 / 100
    world.progress?.pictureBytes = steps * 1250
    world.progress?.sounds = steps * 43 / 100
    world.progress?.soundBytes = steps * 160
  }

  @Test("a report every 3 s, or at another interval from the moment that it is set")
  func interval() {
    var world = World()
    world.start()
    world.run(9.5, each: media)
    #expect(world.statuses.count == 3)
    let status = world.statuses[1].status
    #expect(abs(status.videoFPS - 24) < 0.5 && abs(status.audioFPS - 43) < 0.5)
    #expect(abs(status.videoKilobits - 1000) < 15 && abs(status.audioKilobits - 128) < 3)
    #expect(status.state == .connected && status.connections == 1 && status.targetFPS == 24)
    world.core.set(StreamingOptions(statusInterval: .milliseconds(500)))
    world.run(5, each: media)
    #expect((12...14).contains(world.statuses.count))
  }

  @Test("reports continue while the connection is opened again, with the counters of all connections")
  func reconnecting() {
    var world = World(.init(reconnects: .init(waits: [.seconds(7) ... .seconds(7)])))
    world.start()
    world.progress?.dropped = 5
    world.run(4)
    world.lose()
    world.run(6)
    #expect(world.statuses.last?.status.state == .autoReconnecting)
    #expect(world.statuses.last?.status.droppedFrames == 5)
    world.progress?.dropped = 2
    world.run(6)
    #expect(world.statuses.last?.status.state == .connected)
    #expect(world.statuses.last?.status.droppedFrames == 7 && world.statuses.last?.status.connections == 2)
  }

  @Test("both switches are off by default: a slow network changes nothing")
  func off() {
    var world = World()
    world.start()
    world.run(20) { $0.progress?.queued = 1500 }
    #expect(world.rates.isEmpty)
  }

  @Test("the bitrate falls to its minimum and returns, and the frame rate stays")
  func bitrate() {
    var world = World(.init(minBitrate: 300_000))
    world.start()
    world.run(15) { $0.progress?.queued = 1500 }
    #expect(world.core.rate == EncodingRate(bitrate: 300_000, fps: 24))
    #expect(world.rates.map(\.bitrate) == world.rates.map(\.bitrate).sorted(by: >))
    world.run(120) { $0.progress?.queued = 0 }
    #expect(world.core.rate == EncodingRate(bitrate: 1_000_000, fps: 24))
  }

  @Test("the frame rate falls to 10 and no further, the bitrate with it, and returns")
  func frameRate() {
    var world = World(.init(isFrameRateDynamic: true))
    world.start()
    world.run(20) { $0.progress?.queued = 1500 }
    #expect(world.core.rate == EncodingRate(bitrate: 1_000_000 * 10 / 24, fps: 10))
    world.run(120) { $0.progress?.queued = 0 }
    #expect(world.core.rate == EncodingRate(bitrate: 1_000_000, fps: 24))
  }

  @Test("with both switches the bitrate falls first; a switch turned off restores what it reduced")
  func both() {
    var world = World(.init(minBitrate: 500_000, isFrameRateDynamic: true))
    world.start()
    world.run(30) { $0.progress?.queued = 1500 }
    #expect(world.core.rate == EncodingRate(bitrate: 500_000, fps: 10))
    #expect(world.rates.first { $0.fps < 24 }?.bitrate == 500_000)
    world.core.set(StreamingOptions(minBitrate: 500_000))
    #expect(world.core.rate == EncodingRate(bitrate: 500_000, fps: 24))
    world.core.set(StreamingOptions())
    #expect(world.core.rate == EncodingRate(bitrate: 1_000_000, fps: 24))
  }

  @Test("a new configuration keeps the steps that were made; a new push begins without them")
  func reload() {
    var world = World(.init(minBitrate: 100_000))
    world.start()
    world.run(3.5) { $0.progress?.queued = 1500 }
    let share = Double(world.core.rate.bitrate) / 1_000_000
    #expect(share < 0.8)
    world.core.set(bitrate: 2_000_000, fps: 30)
    #expect(world.core.rate.fps == 30)
    #expect(abs(Double(world.core.rate.bitrate) / 2_000_000 - share) < 0.01)
    world.core.stop(now: world.now)
    world.drain()
    world.start()
    #expect(world.core.rate == EncodingRate(bitrate: 2_000_000, fps: 30))
  }
}
