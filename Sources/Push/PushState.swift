import RoomRTMP

/// The state of a push, as reported to API clients.
public enum PushState: String, Sendable, CaseIterable {
  /// Not yet attempted.
  case unknown
  case connecting
  /// Media is being sent.
  case connected
  case disconnecting
  /// The push ended on request.
  case disconnected
  /// The connection was lost or rejected, and another attempt follows.
  case autoReconnecting
  /// The push failed permanently.
  case error
}

/// The reason why a push connection failed. Each cause has its own name.
public enum PushFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The host name has no address.
  case name(String)
  /// None of the host's addresses is an allowed target.
  case forbidden(String)
  /// The host refused the TCP connection.
  case refused(String)
  /// Certificate validation or the TLS handshake failed.
  case tls(String)
  /// The server does not speak RTMP.
  case handshake
  /// The server rejected the stream, with its own code and reason.
  case rejected(code: String, reason: String)
  /// A timeout; the value names the step.
  case timeout(String)
  /// The established connection was lost.
  case broken(String)
  /// The receiver accepted no data for too long.
  case stalled
  /// The broadcast is a recording, which cannot continue; the value is the reason.
  case file(String)

  /// Every possible ``name``.
  public static let causes = [
    "dns", "forbidden", "refused", "tls", "handshake", "rejected", "timeout", "broken", "stalled", "file",
  ]

  /// A stable name for programs.
  public var name: String {
    switch self {
    case .name: "dns"
    case .forbidden: "forbidden"
    case .refused: "refused"
    case .tls: "tls"
    case .handshake: "handshake"
    case .rejected: "rejected"
    case .timeout: "timeout"
    case .broken: "broken"
    case .stalled: "stalled"
    case .file: "file"
    }
  }

  /// Whether a retry can succeed.
  var isRetryable: Bool { if case .forbidden = self { false } else { true } }

  /// A message for people.
  public var description: String {
    switch self {
    case .name(let host): "\(host) has no address"
    case .forbidden(let host): "pushing to \(host) is not allowed on this server"
    case .refused(let reason): "cannot connect to the server: \(reason)"
    case .tls(let reason): "TLS failed: \(reason)"
    case .handshake: "the server does not speak RTMP"
    case .rejected(let code, let reason):
      reason.isEmpty ? "the server rejected the stream: \(code)" : "the server rejected the stream: \(code), \(reason)"
    case .timeout(let step): "timeout: \(step)"
    case .broken(let reason): "the connection was lost: \(reason)"
    case .stalled: "the server accepted no data for too long"
    case .file(let reason): "the recording has ended: \(reason)"
    }
  }

  /// Returns the failure without the stream's name and query. Both may be a key, and many servers quote them in their error
  /// messages.
  /// - Parameter stream: The stream name from the address. Names of at most 8 characters are kept, as in
  ///   the log of a server.
  func hiding(_ stream: String) -> PushFailure {
    guard case .rejected(let code, var reason) = self else { return self }
    let parts = stream.split(separator: "?", maxSplits: 1).enumerated()
    for (index, part) in parts where index > 0 || part.count > 8 { reason = reason.replacing(part, with: "…") }
    return .rejected(code: code, reason: reason)
  }

  /// Converts the failure of an RTMP session.
  init(_ failure: SessionFailure) {
    self =
      switch failure {
      case .handshake: .handshake
      case .rejected(let status, _): .rejected(code: status.code.rawValue, reason: status.description)
      case .timeout(let step): .timeout(step.rawValue)
      case .closedByPeer: .broken("closed by the server")
      case .chunks, .command, .unexpectedCommand, .queueLimitExceeded, .outputLimitExceeded: .broken("\(failure)")
      case .ended: .broken("ended")
      }
  }
}

/// The retry policy of a push. The delay is random: 0–2 s, then 2–4 s, 4–6 s, and so on up to 8–10 s.
public struct PushRetries: Sendable, Hashable {
  /// The maximum number of consecutive failed attempts; nil for no limit.
  public var attempts: Int?

  /// - Parameter attempts: The maximum number of consecutive failed attempts; nil for no limit.
  public init(attempts: Int? = 10) { self.attempts = attempts }

  /// Returns the delay before attempt number `attempt`, starting at 1, in µs; nil if the attempt must not be made.
  func wait(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Int64? {
    if let attempts, attempt > attempts { return nil }
    let step = Int64(min(max(attempt, 1), 5))
    return Int64.random(in: (step - 1) * 2_000_000...step * 2_000_000, using: &generator)
  }
}
