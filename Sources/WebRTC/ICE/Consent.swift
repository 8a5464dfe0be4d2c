import RoomRTP

/// Whether the other side is still reachable and consents to receive (RFC 7675): `disconnected` after 8 s of silence, consent
/// lost after 30 s.
struct Consent {
  enum State { case waiting, fresh, silent, lost }
  enum Transition { case disconnected, reconnected, lost }

  static let silence: Int64 = 8_000_000
  static let expiry: Int64 = 30_000_000

  private(set) var state = State.waiting
  private(set) var lastReceived = Instant(microseconds: 0)
  private var transition: Transition?
  private var wasLost = false

  /// Records that an authentic packet arrived, which shows that the path works.
  mutating func received(at now: Instant) {
    if state == .silent || state == .lost || wasLost { transition = .reconnected }
    wasLost = false
    state = .fresh
    lastReceived = max(lastReceived, now)
  }

  var deadline: Instant? {
    switch state {
    case .waiting, .lost: nil
    case .fresh: lastReceived.advanced(microseconds: Self.silence)
    case .silent: lastReceived.advanced(microseconds: Self.expiry)
    }
  }

  mutating func advance(to now: Instant) {
    guard state == .fresh || state == .silent else { return }
    if now - lastReceived >= Self.expiry {
      state = .lost
      transition = .lost
    } else if state == .fresh, now - lastReceived >= Self.silence {
      state = .silent
      transition = .disconnected
    }
  }

  /// Restarts a lost consent (RFC 7675 §5.1: only after an ICE restart, with new credentials).
  mutating func restart() {
    guard state == .lost else { return }
    state = .waiting
    wasLost = true
  }

  /// Returns the change since the last call.
  mutating func takeTransition() -> Transition? {
    defer { transition = nil }
    return transition
  }
}
