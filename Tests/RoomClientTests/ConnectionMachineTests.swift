import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("The connection's state machine")
final class ConnectionMachineTests {
  private struct Fixed: RandomNumberGenerator {
    mutating func next() -> UInt64 { UInt64.max / 2 }
  }

  private var generator = Fixed()
  private var machine = ConnectionMachine.idle
  private let lost = RoomClientError.connectionLost("test")

  private func on(_ event: ConnectionMachine.Event, _ policy: ReconnectPolicy = .default) -> ConnectionMachine.Action {
    machine.on(event, policy: policy, using: &generator)
  }

  @Test("goes from idle through connecting to connected") func connects() {
    #expect(machine.state == .idle)
    #expect(on(.start) == .open)
    #expect(machine.state == .connecting)
    #expect(on(.joined) == .none)
    #expect(machine.state == .connected)
  }

  @Test("a failed first connection is not retried") func firstFailure() {
    _ = on(.start)
    #expect(on(.lost(lost)) == .finish(.connectionLost(lost), notifiesServer: false))
    #expect(machine.state == .closed(.connectionLost(lost)))
  }

  @Test("a lost connection is retried three times, after growing waits, before the room closes") func threeTries() {
    _ = on(.start)
    _ = on(.joined)
    var ranges = ReconnectPolicy.default.waits
    #expect(ranges == [.zero ... .seconds(2), .seconds(2) ... .seconds(4), .seconds(4) ... .seconds(6)])
    for attempt in 1...3 {
      guard case .wait(let wait) = on(.lost(lost)) else {
        Issue.record("no wait before try \(attempt)")
        return
      }
      #expect(ranges.removeFirst().contains(wait))
      #expect(machine.state == .reconnecting(attempt: attempt))
      #expect(on(.waited) == .open)
      #expect(machine.state == .reconnecting(attempt: attempt))
    }
    #expect(on(.lost(lost)) == .finish(.connectionLost(lost), notifiesServer: false))
  }

  @Test("a room that moves is joined at its next server without the wait of a lost connection; without tries it closes")
  func moved() {
    _ = on(.start)
    _ = on(.joined)
    #expect(on(.moved(.milliseconds(3))) == .wait(.milliseconds(3)))
    #expect(machine.state == .reconnecting(attempt: 1))
    #expect(on(.waited) == .open)
    #expect(on(.joined) == .none)
    #expect(on(.moved(.zero), .never) == .finish(.serverStopping, notifiesServer: false))
  }

  @Test("a success resets the number of tries") func countsAnew() {
    _ = on(.start)
    _ = on(.joined)
    for _ in 0..<5 {
      _ = on(.lost(lost))
      _ = on(.waited)
      #expect(on(.joined) == .none)
      #expect(machine.state == .connected)
    }
  }

  @Test("an unlimited policy never gives up") func neverGivesUp() {
    _ = on(.start)
    _ = on(.joined)
    for attempt in 1...50 {
      guard case .wait(let wait) = on(.lost(lost), .unlimited) else {
        Issue.record("gave up")
        return
      }
      #expect(wait <= .seconds(6))
      #expect(machine.state == .reconnecting(attempt: attempt))
      _ = on(.waited)
    }
  }

  @Test("a policy of no tries closes at once") func noTries() {
    _ = on(.start)
    _ = on(.joined)
    #expect(on(.lost(lost), .never) == .finish(.connectionLost(lost), notifiesServer: false))
  }

  @Test("a rejected join closes with the server's reason; during a reconnection a full room is retried") func refused() {
    let wrong = RoomError(.tokenInvalid, "expired")
    let full = RoomError(.joinFailed, "full")
    _ = on(.start)
    #expect(on(.refused(full)) == .finish(.refused(full), notifiesServer: false))
    machine = .opening(attempt: 1)
    #expect(on(.refused(wrong)) == .finish(.refused(wrong), notifiesServer: false))
    machine = .opening(attempt: 1)
    guard case .wait = on(.refused(full)) else {
      Issue.record("a full room was not tried again")
      return
    }
    #expect(machine.state == .reconnecting(attempt: 2))
  }

  @Test("leaving informs the server if connected, and a closed room stays closed") func leaves() {
    _ = on(.start)
    _ = on(.joined)
    #expect(on(.leave) == .finish(.left, notifiesServer: true))
    for event in [ConnectionMachine.Event.start, .joined, .lost(lost), .waited, .leave, .ended(EndedData(reason: .roomClosed))]
    {
      #expect(on(event) == .none)
      #expect(machine.state == .closed(.left))
    }
  }

  @Test(
    "each end reason of the server maps to its close reason",
    arguments: [
      (EndedData(reason: .kickedOut, by: "eve"), CloseReason.kickedOut(by: "eve")),
      (EndedData(reason: .kickedOut), .kickedOut(by: "")), (EndedData(reason: .roomClosed), .roomClosed),
      (EndedData(reason: .duplicateLogin), .duplicateLogin), (EndedData(reason: .timedOut), .timedOut),
      (EndedData(reason: .left), .left),
    ])
  func ends(_ data: EndedData, _ reason: CloseReason) {
    _ = on(.start)
    _ = on(.joined)
    #expect(on(.ended(data)) == .finish(reason, notifiesServer: false))
    #expect(machine.state == .closed(reason))
  }

  @Test("a stopping server is retried like a lost one; without tries the room closes with that reason") func stops() {
    let stops = ConnectionMachine.Event.ended(EndedData(reason: .serverStopping))
    _ = on(.start)
    _ = on(.joined)
    guard case .wait = on(stops) else {
      Issue.record("it was not tried again")
      return
    }
    // The socket is closed after the event.
    #expect(on(.lost(lost)) == .none)
    #expect(on(.waited) == .open)
    // The server named another one, which is joined at once.
    #expect(on(.redirected) == .open)
    #expect(on(.joined) == .none)
    #expect(on(stops, .never) == .finish(.serverStopping, notifiesServer: false))
  }
}

@Suite("The reconnect policy")
struct ReconnectPolicyTests {
  @Test("draws each wait from its range") func draws() {
    var generator = SeededGenerator(seed: 1)
    let policy = ReconnectPolicy.default
    for (attempt, range) in [(1, 0...2), (2, 2...4), (3, 4...6)] {
      let waits = (0..<200).compactMap { _ in policy.wait(before: attempt, using: &generator) }
      #expect(waits.count == 200)
      #expect(waits.allSatisfy { $0 >= .seconds(range.lowerBound) && $0 <= .seconds(range.upperBound) })
      #expect((waits.max() ?? .zero) - (waits.min() ?? .zero) > .seconds(1))
    }
    #expect(policy.wait(before: 4, using: &generator) == nil)
    #expect(policy.wait(before: 0, using: &generator) == nil)
  }

  @Test("without waits retries at once") func noWaits() {
    var generator = SeededGenerator(seed: 1)
    #expect(ReconnectPolicy(tries: 1, waits: []).wait(before: 1, using: &generator) == .zero)
  }
}
