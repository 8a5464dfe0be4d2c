import NIOCore
import NIOPosix
import RoomTestSupport
import Synchronization
import Testing

@testable import RoomRelay

@Suite("Metronome")
struct MetronomeTests {
  /// The times of the ticks in ns of uptime.
  private final class Beats: Sendable {
    let times = Mutex<[UInt64]>([])

    var count: Int { times.withLock { $0.count } }

    func note() { times.withLock { $0.append(NIODeadline.now().uptimeNanoseconds) } }

    func reach(_ count: Int) async throws {
      try await eventually("\(count) ticks", within: .seconds(10)) { self.count >= count }
    }
  }

  @Test("it fires at most once per interval, until it is stopped")
  func stop() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let beats = Beats()
    let metronome = try await loop.submit {
      NIOLoopBound(
        Metronome(every: .milliseconds(5), on: loop) {
          beats.note()
          return true
        }, eventLoop: loop)
    }.get()
    try await beats.reach(10)
    try await loop.submit { metronome.value.stop() }.get()
    let times = beats.times.withLock { $0 }
    // Each tick is in its own interval, however late the previous one was.
    let numbers = times.map { $0 / 5_000_000 }
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    // Real time, because nothing reports a tick that does not come: six intervals.
    try await Task.sleep(for: .milliseconds(30))
    #expect(beats.count == times.count)
  }

  @Test("it stops when its callback returns false")
  func end() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let (first, second) = (Beats(), Beats())
    try await loop.submit {
      _ = Metronome(every: .milliseconds(2), on: loop) {
        first.note()
        return first.count < 3
      }
      _ = Metronome(every: .milliseconds(2), on: loop) {
        second.note()
        return second.count < 10
      }
    }.get()
    // Neither of them is retained, and one continues after the other ends.
    try await second.reach(10)
    #expect(first.count == 3)
  }
}
