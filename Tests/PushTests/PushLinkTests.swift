import RoomRTMP
import RoomRTP
import Testing

@testable import RoomPush

/// A broadcast's messages: a key frame every second at 25 fps, and audio every 20 ms.
private struct Programme {
  var stamp: UInt32 = 0
  mutating func next(_ duration: UInt32) -> [MediaMessage] {
    var messages: [MediaMessage] = []
    for _ in 0..<(duration / 20) {
      if stamp % 40 == 0 {
        let isKey = stamp % 1000 == 0
        messages.append(
          MediaMessage(
            .video, timestamp: stamp,
            payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: isKey) + [UInt8](repeating: 7, count: isKey ? 8000 : 1200)))
      }
      messages.append(MediaMessage(.audio, timestamp: stamp, payload: AudioTag.aacHeader(.codedFrames) + [1, 2, 3, 4]))
      stamp += 20
    }
    return messages
  }
  static let headers = [
    MediaMessage(.video, timestamp: 0, payload: VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + [1, 66, 0, 30]),
    MediaMessage(.audio, timestamp: 0, payload: AudioTag.aacHeader(.sequenceStart) + [0x12, 0x10]),
  ]
}

/// The server and the network to it, in virtual time.
private final class Server {
  var link: PushLink
  var now = Instant(microseconds: 0)
  var session: ServerSession?
  var media: [MediaMessage] = []
  var states: [PushState] = []
  var failures: [PushFailure] = []
  var keyFramesWanted = 0
  var connects = 0
  var isUp = true
  var refusal: (code: StatusCode, reason: String)?
  /// The network's rate in bytes per second; nil for unlimited.
  var rate: Int?
  private var inFlight: [UInt8] = []
  private var connection = 0
  private var budget = 0

  init(_ options: PushLink.Options = .init()) throws {
    link = PushLink(to: try #require(RTMPAddress("rtmp://example.com/live/a?key=1")), options: options)
  }

  func settle() {
    var isBusy = true
    while isBusy {
      isBusy = false
      while let output = link.nextOutput() {
        isBusy = true
        switch output {
        case .connect(_, let number):
          connects += 1
          connection = number
          inFlight = []
          if isUp {
            session = ServerSession(now: now)
            link.opened(number, now: now)
          } else {
            link.failed(number, .refused("connection refused"), now: now)
          }
        case .send(let bytes, let number): if number == connection { inFlight += bytes }
        case .close: session = nil
        case .state(let state, let failure):
          states.append(state)
          if let failure { failures.append(failure) }
        case .keyFrameNeeded: keyFramesWanted += 1
        }
      }
      let count = rate == nil ? inFlight.count : min(inFlight.count, budget)
      if count > 0, session != nil {
        isBusy = true
        budget -= rate == nil ? 0 : count
        let bytes = Array(inFlight.prefix(count))
        inFlight.removeFirst(count)
        deliver(bytes)
        link.sent(connection, bytes: count, now: now)
      }
    }
  }

  private func deliver(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { session?.receive($0, now: now) }
    while let event = session?.nextEvent() {
      switch event {
      case .connectRequested: session?.acceptConnect(now: now)
      case .publishRequested(let request):
        if let refusal {
          session?.rejectPublish(request.stream, refusal.code, description: refusal.reason, now: now)
        } else {
          session?.acceptPublish(request.stream, now: now)
        }
      case .media(let message, _): media.append(message)
      default: break
      }
    }
    if let answer = session?.takeOutput(), !answer.isEmpty {
      answer.withUnsafeBytes { link.received(connection, $0, now: now) }
    }
  }

  func lose() {
    session = nil
    inFlight = []
    link.failed(connection, .broken("reset"), now: now)
    settle()
  }

  /// Advances time in steps of 20 ms.
  func run(_ milliseconds: Int64, _ programme: inout Programme) {
    for _ in 0..<(milliseconds / 20) {
      now = now.advanced(milliseconds: 20)
      if let rate { budget = min(budget + rate / 50, rate) }
      for message in programme.next(20) { link.send(message, now: now) }
      if let deadline = link.deadline, deadline <= now { link.advance(to: now) }
      settle()
    }
  }
}

@Suite("A push link")
struct PushLinkTests {
  private func stamps(_ messages: [MediaMessage], _ kind: MediaMessage.Kind) -> [UInt32] {
    messages.filter { $0.kind == kind && $0.payload[1] == 1 }.map(\.timestamp)
  }

  @Test("publishes headers first, starts at a key frame, and loses nothing")
  func publishes() throws {
    let server = try Server()
    var programme = Programme()
    for header in Programme.headers { server.link.send(header, now: server.now) }
    server.link.start(now: server.now)
    server.settle()
    server.run(5000, &programme)
    #expect(server.states == [.connecting, .connected])
    #expect(server.media.prefix(2).map(\.payload) == Programme.headers.map(\.payload))
    let video = stamps(server.media, .video)
    #expect(video.first == 1000 || video.first == 0)
    #expect(zip(video.dropFirst(), video).allSatisfy { $0 == $1 + 40 })
    #expect(server.link.queue.counters.droppedFrames == 0)
    server.link.stop(now: server.now)
    server.settle()
    #expect(server.states.suffix(2) == [.disconnecting, .disconnected])
  }

  @Test("a lost connection is retried, and the timeline continues")
  func reconnects() throws {
    let server = try Server()
    var programme = Programme()
    for header in Programme.headers { server.link.send(header, now: server.now) }
    server.link.start(now: server.now)
    server.run(12_000, &programme)
    let before = try #require(server.media.last?.timestamp)
    server.isUp = false
    server.lose()
    server.run(5000, &programme)
    server.isUp = true
    let count = server.media.count
    server.run(15_000, &programme)
    #expect(server.states.last == .connected)
    #expect(server.failures.first == .broken("reset"))
    #expect(server.failures.contains(.refused("connection refused")))
    let after = server.media[count...]
    #expect(after.prefix(2).map(\.payload) == Programme.headers.map(\.payload))
    let pictures = after.filter { $0.kind == .video && $0.payload[1] == 1 }
    let first = try #require(pictures.first)
    #expect(first.payload[0] >> 4 == 1)
    #expect(first.timestamp > before + 4000)
    #expect(server.link.connections == 2)
  }

  @Test("attempts are limited, and only the last one reports the failure")
  func givesUp() throws {
    let server = try Server(.init(retries: PushRetries(attempts: 3)))
    var programme = Programme()
    server.isUp = false
    server.link.start(now: server.now)
    server.run(30_000, &programme)
    #expect(server.connects == 4)
    #expect(server.states == [.connecting, .autoReconnecting, .autoReconnecting, .autoReconnecting, .error])
    #expect(server.link.lastFailure?.name == "refused")
  }

  @Test("a rejection is reported with the server's own message")
  func refused() throws {
    let server = try Server(.init(retries: PushRetries(attempts: 0)))
    var programme = Programme()
    server.refusal = (.publishBadName, "stream key is wrong")
    server.link.start(now: server.now)
    server.run(2000, &programme)
    guard case .rejected(_, let reason)? = server.link.lastFailure else {
      Issue.record("\(String(describing: server.link.lastFailure))")
      return
    }
    #expect(reason == "stream key is wrong")
    #expect(server.states.last == .error)
  }

  @Test("a server that does not respond causes a timeout of the current step")
  func silent() throws {
    let server = try Server(.init(retries: PushRetries(attempts: 0)))
    var programme = Programme()
    server.rate = 0
    server.link.start(now: server.now)
    server.run(12_000, &programme)
    #expect(server.link.lastFailure == .timeout("handshake"))
  }

  @Test("a receiver at half the rate gets all audio in time and only whole pictures, with constant memory")
  func slow() throws {
    let server = try Server()
    var programme = Programme()
    for header in Programme.headers { server.link.send(header, now: server.now) }
    server.link.start(now: server.now)
    server.run(1000, &programme)
    // The programme has about 37 kB per second.
    server.rate = 18_000
    var most = 0
    for _ in 0..<60 {
      server.run(1000, &programme)
      most = max(most, server.link.queue.byteCount)
    }
    #expect(most < 120_000)
    #expect(server.link.queue.counters.droppedFrames > 500)
    #expect(server.keyFramesWanted > 1)
    let sound = stamps(server.media, .audio)
    #expect(zip(sound.dropFirst(), sound).allSatisfy { $0 == $1 + 20 })
    #expect(Int64(sound.last ?? 0) > Int64(programme.stamp) - 4500)
    // After each gap, video resumes with a key frame.
    let pictures = server.media.filter { $0.kind == .video && $0.payload[1] == 1 }
    for (one, next) in zip(pictures, pictures.dropFirst()) where next.timestamp != one.timestamp + 40 {
      #expect(next.payload[0] >> 4 == 1)
    }
    #expect(pictures.count > 300)
  }

  @Test("metadata at time 0 in the middle of a stream neither drops pictures nor counts as a stalled receiver")
  func metadata() {
    var queue = SendQueue()
    queue.append(MediaMessage(.data, timestamp: 0, payload: [2]))
    #expect(queue.duration == 0)
    var programme = Programme(stamp: 60_000)
    for message in programme.next(1000) { queue.append(message) }
    #expect((900...1000).contains(queue.duration) && !queue.isStuck && queue.counters.droppedFrames == 0)
    queue.append(MediaMessage(.data, timestamp: 0, payload: [2]))
    #expect((900...1000).contains(queue.duration))
  }

  @Test("a receiver that accepts no data is disconnected")
  func stalled() throws {
    let server = try Server()
    var programme = Programme()
    server.link.start(now: server.now)
    server.run(2000, &programme)
    server.rate = 0
    server.run(40_000, &programme)
    #expect(server.failures.contains(.stalled) || server.failures.contains { $0.name == "timeout" })
  }
}
