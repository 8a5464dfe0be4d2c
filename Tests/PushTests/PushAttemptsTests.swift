import RoomRTP
import Testing

@testable import RoomPush

@Suite("The attempts of a push")
struct PushAttemptsTests {
  private let start = Instant(microseconds: 0)

  /// Returns the wait in microseconds after a failure; nil if the push has ended.
  private func wait(_ attempts: inout PushAttempts, _ failure: PushFailure = .broken("lost"), at now: Instant) -> Int64? {
    let report = attempts.lose(failure, now: now)
    #expect(report.failure == failure && attempts.lastFailure == failure)
    guard case .waiting(let until) = attempts.phase else {
      #expect(report.state == .error && attempts.phase == .ended)
      return nil
    }
    #expect(report.state == .autoReconnecting)
    return until - now
  }

  @Test("the waits grow up to ten seconds, and after the last attempt the push has failed")
  func growing() throws {
    var attempts = PushAttempts(PushRetries(attempts: 7))
    #expect(attempts.open(now: start) == .init(state: .connecting))
    for step in [0, 1, 2, 3, 4, 4, 4] as [Int64] {
      let wait = try #require(wait(&attempts, at: start))
      #expect((step * 2_000_000...(step + 1) * 2_000_000).contains(wait), "\(wait) in step \(step)")
      #expect(attempts.open(now: start) == nil, "the state stays autoReconnecting")
    }
    #expect(wait(&attempts, at: start) == nil)
    #expect(attempts.connection == 8 && attempts.published == 0 && attempts.end() == nil)
  }

  @Test("ten seconds of media begin the count anew; a server that accepts and closes at once does not")
  func counting() throws {
    var attempts = PushAttempts(PushRetries(attempts: 2))
    var now = start
    for length in [10_000_000, 0, 10_000_000, 10_000_000, 0] as [Int64] {
      _ = attempts.open(now: now)
      #expect(attempts.publish(now: now)?.state == .connected)
      now = now.advanced(microseconds: length)
      #expect(wait(&attempts, at: now) != nil)
    }
    _ = attempts.open(now: now)
    _ = attempts.publish(now: now)
    #expect(wait(&attempts, at: now) == nil)
    #expect(attempts.published == 6)
  }

  @Test("a target that is not allowed gets no second attempt")
  func forbidden() {
    var attempts = PushAttempts(PushRetries(attempts: nil))
    _ = attempts.open(now: start)
    #expect(wait(&attempts, .forbidden("example.org"), at: start) == nil)
  }

  @Test("a stop ends a push in any phase, and is reported")
  func stops() {
    var attempts = PushAttempts(PushRetries())
    _ = attempts.open(now: start)
    _ = attempts.publish(now: start)
    #expect(attempts.disconnect()?.state == .disconnecting && attempts.end()?.state == .disconnected)
    #expect(attempts.phase == .ended && !attempts.isActive)
    var waiting = PushAttempts(PushRetries())
    _ = waiting.open(now: start)
    _ = waiting.lose(.stalled, now: start)
    #expect(waiting.end()?.state == .disconnected && waiting.phase == .ended)
  }
}
