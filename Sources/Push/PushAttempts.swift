public import RoomRTP

/// The connections of one push, one after the other: the state, the failures, and the waits between them.
///
/// A value without I/O. The owner opens a connection after ``open(now:)``, and reports what becomes of it.
public struct PushAttempts: Sendable {
  /// A change of state for the observers of the push.
  public struct Report: Sendable, Hashable {
    public var state: PushState
    /// The reason of ``PushState/autoReconnecting`` and ``PushState/error``.
    public var failure: PushFailure?
  }

  /// What the push does.
  public enum Phase: Sendable, Hashable {
    case idle
    /// A connection is being opened, up to the server's permission to publish.
    case opening(since: Instant)
    case publishing(since: Instant)
    case waiting(until: Instant)
    case ended
  }

  /// A connection that publishes for this long in microseconds resets the count of failures. A server that accepts and closes at
  /// once does not.
  private static let success: Int64 = 10_000_000

  public let retries: PushRetries
  public private(set) var phase = Phase.idle
  public private(set) var state = PushState.unknown
  /// The failure that ended the last connection.
  public private(set) var lastFailure: PushFailure?
  /// The number of the newest connection; 0 before the first.
  public private(set) var connection = 0
  /// The number of connections that started publishing.
  public private(set) var published = 0
  /// The failures in a row.
  private var failures = 0

  /// Creates the value of a push that has not started.
  public init(_ retries: PushRetries) { self.retries = retries }

  /// Whether a connection exists or is being opened.
  public var isActive: Bool {
    switch phase {
    case .opening, .publishing: true
    case .idle, .waiting, .ended: false
    }
  }

  /// Begins the next connection. Returns nil if the state is the same as before.
  public mutating func open(now: Instant) -> Report? {
    connection += 1
    phase = .opening(since: now)
    return state == .autoReconnecting ? nil : enter(.connecting)
  }

  /// The server accepted the stream.
  public mutating func publish(now: Instant) -> Report? {
    published += 1
    phase = .publishing(since: now)
    return enter(.connected)
  }

  /// The connection could not be opened, or was lost. The phase is ``Phase/waiting(until:)`` afterwards, or ``Phase/ended`` if no
  /// attempt is left or none can succeed.
  public mutating func lose(_ failure: PushFailure, now: Instant) -> Report {
    lastFailure = failure
    if case .publishing(let since) = phase, now - since >= Self.success { failures = 0 }
    failures += 1
    var generator = SystemRandomNumberGenerator()
    if failure.isRetryable, let wait = retries.wait(before: failures, using: &generator) {
      phase = .waiting(until: now.advanced(microseconds: wait))
      state = .autoReconnecting
    } else {
      phase = .ended
      state = .error
    }
    return Report(state: state, failure: failure)
  }

  /// The owner begins to close the connection.
  public mutating func disconnect() -> Report? { enter(.disconnecting) }

  /// The owner ends the push. Returns nil if the push has ended already.
  public mutating func end() -> Report? {
    if case .ended = phase { return nil }
    phase = .ended
    return enter(.disconnected)
  }

  private mutating func enter(_ state: PushState) -> Report? {
    guard state != self.state else { return nil }
    self.state = state
    return Report(state: state)
  }
}
