import RoomProtocol

/// The life of a room's connection as a pure state machine: it takes an event and returns the next action. No socket, no clock.
enum ConnectionMachine: Sendable, Hashable {
  case idle
  /// A socket is being opened and the join is pending. `attempt` is 0 the first time and counts the tries after a loss.
  case opening(attempt: Int)
  case connected
  /// The session continues at another server: its socket is open, and the join there is pending.
  case moving
  /// Waiting before try number `attempt`.
  case waiting(attempt: Int)
  case closed(CloseReason)

  enum Event: Sendable, Hashable {
    case start
    /// The server accepted the join.
    case joined
    /// The server rejected the join.
    case refused(RoomError)
    /// The socket could not be opened, was lost or became silent.
    case lost(RoomClientError)
    /// The wait is over.
    case waited
    /// The server ended the session.
    case ended(EndedData)
    /// The server named another server, which the client joins at once.
    case redirected
    /// The socket to another server, which continues the session, is open.
    case switched
    /// The server ended the session and named another server, which the client joins after this time.
    case moved(Duration)
    /// The app calls `leave()`.
    case leave
  }

  enum Action: Sendable, Hashable {
    case none
    /// Open a socket and join.
    case open
    /// Deliver `waited` after this time.
    case wait(Duration)
    /// Close the socket and the media. With `notifiesServer` the client sends `leave` first.
    case finish(CloseReason, notifiesServer: Bool)
  }

  /// The state that the app sees.
  var state: RoomState {
    switch self {
    case .idle: .idle
    case .opening(attempt: 0): .connecting
    case .opening(let attempt), .waiting(let attempt): .reconnecting(attempt: attempt)
    case .connected, .moving: .connected
    case .closed(let reason): .closed(reason)
    }
  }

  /// The number of the try whose join is pending; nil if none is.
  var joiningAttempt: Int? {
    switch self {
    case .opening(let attempt): attempt
    case .moving: 1
    default: nil
    }
  }

  /// Processes an event. Ignores one that does not apply in the current state, because events can cross.
  mutating func on(
    _ event: Event, policy: ReconnectPolicy, using generator: inout some RandomNumberGenerator
  ) -> Action {
    switch (self, event) {
    case (.idle, .start):
      self = .opening(attempt: 0)
      return .open
    case (.closed, _): return .none
    case (.connected, .switched):
      self = .moving
      return .none
    case (.opening, .joined), (.moving, .joined):
      self = .connected
      return .none
    case (.opening(let attempt), .refused(let error)):
      // A full room or a busy server may accept the next try; an invalid token stays invalid.
      if attempt > 0, error.code == .joinFailed {
        return tryAgain(attempt + 1, otherwise: .refused(error), policy: policy, using: &generator)
      }
      return finish(.refused(error))
    case (.moving, .refused(let error)):
      guard error.code == .joinFailed else { return finish(.refused(error)) }
      return tryAgain(1, otherwise: .refused(error), policy: policy, using: &generator)
    case (.opening(attempt: 0), .lost(let cause)): return finish(.connectionLost(cause))
    case (.opening(let attempt), .lost(let cause)):
      return tryAgain(attempt + 1, otherwise: .connectionLost(cause), policy: policy, using: &generator)
    case (.connected, .lost(let cause)), (.moving, .lost(let cause)):
      return tryAgain(1, otherwise: .connectionLost(cause), policy: policy, using: &generator)
    case (.waiting(let attempt), .waited):
      self = .opening(attempt: attempt)
      return .open
    case (.opening(let attempt), .redirected):
      self = .opening(attempt: attempt)
      return .open
    case (.moving, .redirected):
      self = .opening(attempt: 1)
      return .open
    case (.connected, .moved(let wait)), (.moving, .moved(let wait)):
      guard policy.tries.map({ $0 > 0 }) ?? true else { return finish(.serverStopping) }
      self = .waiting(attempt: 1)
      return .wait(wait)
    case (.connected, .ended(let data)) where data.reason == .serverStopping,
      (.moving, .ended(let data)) where data.reason == .serverStopping:
      // The server restarts, or another one takes over.
      return tryAgain(1, otherwise: .serverStopping, policy: policy, using: &generator)
    case (_, .ended(let data)): return finish(CloseReason(data))
    case (_, .leave):
      let wasConnected = self == .connected || self == .moving
      return finish(.left, notifiesServer: wasConnected)
    default: return .none
    }
  }

  private mutating func finish(_ reason: CloseReason, notifiesServer: Bool = false) -> Action {
    self = .closed(reason)
    return .finish(reason, notifiesServer: notifiesServer)
  }

  private mutating func tryAgain(
    _ attempt: Int, otherwise end: CloseReason, policy: ReconnectPolicy, using generator: inout some RandomNumberGenerator
  ) -> Action {
    guard let wait = policy.wait(before: attempt, using: &generator) else { return finish(end) }
    self = .waiting(attempt: attempt)
    return .wait(wait)
  }
}

extension CloseReason {
  init(_ data: EndedData) {
    switch data.reason {
    case .left: self = .left
    case .kickedOut: self = .kickedOut(by: data.by ?? "")
    case .roomClosed: self = .roomClosed
    case .duplicateLogin: self = .duplicateLogin
    case .timedOut: self = .timedOut
    case .serverStopping: self = .serverStopping
    }
  }
}
