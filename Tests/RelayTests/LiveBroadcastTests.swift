import NIOPosix
import RoomRelay
import RoomTestSupport
import Testing

/// The programs here are silent: a program without tracks is ready after half a second.
@Suite("Programs of one broadcast")
struct LiveBroadcastTests {
  private let events: AsyncStream<String>
  private let broadcast: LiveBroadcast

  init() throws {
    let (events, continuation) = AsyncStream.makeStream(of: String.self)
    self.events = events
    broadcast = try LiveBroadcast(
      to: nil, settings: LiveBroadcast.Settings(), loop: MultiThreadedEventLoopGroup.singleton.next(),
      events: { continuation.yield(Self.text($0)) })
  }

  private static func text(_ event: BroadcastEvent) -> String {
    switch event {
    case .onAir(let id): "\(id) on air"
    case .continued(let id, _): "\(id) continued"
    case .ended(let id, .takenOver(let other)): "\(id) taken over by \(other)"
    case .ended(let id, _): "\(id) ended"
    case .state, .over: "other"
    }
  }

  private func begin(_ id: UInt64) async {
    await broadcast.begin(ProgramID(id), audio: nil, video: nil, carriesAudio: true, carriesVideo: false)
  }

  private func resume(_ id: UInt64) async {
    await broadcast.continue(ProgramID(id), audio: nil, video: nil, carriesAudio: true, carriesVideo: false)
  }

  /// Returns the first events, and ends all programs.
  private func first(_ count: Int) async throws -> [String] {
    let events = self.events
    let all = try await within(.seconds(30), "\(count) events") {
      var all: [String] = []
      for await event in events {
        all.append(event)
        if all.count == count { break }
      }
      return all
    }
    for id: UInt64 in 1...3 { await broadcast.stop(ProgramID(id)) }
    return all
  }

  @Test("a program that changes its source while a newer one takes over does not stop the newer one")
  func changing() async throws {
    await begin(1)
    await begin(2)
    await resume(1)
    #expect(try await first(3) == ["1 on air", "2 on air", "1 taken over by 2"])
  }

  @Test("a program that takes over ends all older ones, also those that were never on air")
  func three() async throws {
    for id: UInt64 in 1...3 { await begin(id) }
    let all = try await first(4)
    #expect(all.prefix(2) == ["1 on air", "3 on air"])
    #expect(Set(all.suffix(2)) == ["1 taken over by 3", "2 taken over by 3"])
  }

  @Test("when a newer program ends before its takeover, what waited behind it goes on air")
  func ending() async throws {
    await begin(1)
    await begin(2)
    await resume(1)
    await begin(3)
    for id: UInt64 in [3, 2] { await broadcast.stop(ProgramID(id)) }
    #expect(try await first(4) == ["1 on air", "3 ended", "2 ended", "1 continued"])
  }
}
