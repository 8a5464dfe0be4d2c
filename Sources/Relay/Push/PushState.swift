import RTMP

/// How far a push has come; the words of its users.
public enum PushState: String, Sendable, CaseIterable {
  /// Nothing was tried yet.
  case unknown
  case connecting
  /// Media flows.
  case connected
  case disconnecting
  /// Ended as it was told to.
  case disconnected
  /// The connection was lost or refused, and another try follows.
  case autoReconnecting
  /// Given up.
  case error
}

/// Why a connection of a push failed; each cause has a name of its own.
public enum PushFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The host's name has no address.
  case name(String)
  /// The host's addresses are none that may be pushed to.
  case forbidden(String)
  /// Nobody listens there.
  case refused(String)
  /// The certificate or the TLS handshake.
  case tls(String)
  /// The far end speaks no RTMP.
  case handshake
  /// The server refused, in its own words.
  case rejected(code: String, reason: String)
  /// No answer in time; what was waited for.
  case timeout(String)
  /// It had worked, and then broke.
  case broken(String)
  /// The receiver took nothing for too long.
  case stalled
  /// The broadcast is a recording, which can't go on.
  case file(RecordingFailure)

  /// Every ``name`` that there is.
  public static let causes = [
    "dns", "forbidden", "refused", "tls", "handshake", "rejected", "timeout", "broken", "stalled", "file",
  ]

  /// A stable word for programs.
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

  /// Whether another try can have another end.
  var mayPass: Bool { if case .forbidden = self { false } else { true } }

  /// A sentence for people.
  public var description: String {
    switch self {
    case .name(let host): "\(host) has no address"
    case .forbidden(let host): "pushing to \(host) is not allowed on this server"
    case .refused(let reason): "the server can't be reached: \(reason)"
    case .tls(let reason): "TLS failed: \(reason)"
    case .handshake: "the server speaks no RTMP"
    case .rejected(let code, let reason):
      reason.isEmpty ? "the server refused: \(code)" : "the server refused: \(code), \(reason)"
    case .timeout(let step): "no answer in time to \(step)"
    case .broken(let reason): "the connection broke: \(reason)"
    case .stalled: "the server took nothing for too long"
    case .file(let failure): "the recording has ended: \(failure)"
    }
  }

  /// Without the stream's name and query, which may be a key and which many servers quote when they refuse.
  /// - Parameter stream: as the address has it. Names of at most 8 characters stay, as they do in ``PublishURL/description``.
  func hiding(_ stream: String) -> PushFailure {
    guard case .rejected(let code, var reason) = self else { return self }
    let parts = stream.split(separator: "?", maxSplits: 1).enumerated()
    for (index, part) in parts where index > 0 || part.count > 8 { reason = reason.replacing(part, with: "…") }
    return .rejected(code: code, reason: reason)
  }

  /// What an RTMP session's end means to a push.
  init(_ failure: SessionFailure) {
    self =
      switch failure {
      case .handshake: .handshake
      case .rejected(let status, _): .rejected(code: status.code.rawValue, reason: status.description)
      case .timeout(let step): .timeout(step.rawValue)
      case .closedByPeer: .broken("closed by the server")
      case .chunks, .command, .unexpectedCommand, .tooMuchHeld, .outputNotTaken: .broken("\(failure)")
      case .ended: .broken("ended")
      }
  }
}

/// When a push tries again: after a wait drawn from 0–2 s, then 2–4 s, 4–6 s, and so on up to 8–10 s.
public struct PushRetries: Sendable, Hashable {
  /// Tries in a row that may fail; nil for no end.
  public var attempts: Int?

  /// - Parameter attempts: tries in a row that may fail; nil for no end.
  public init(attempts: Int? = 10) { self.attempts = attempts }

  /// Microseconds to wait before try number `attempt`, the first being 1; nil where it is not to be made.
  func wait(before attempt: Int, using generator: inout some RandomNumberGenerator) -> Int64? {
    if let attempts, attempt > attempts { return nil }
    let step = Int64(min(max(attempt, 1), 5))
    return Int64.random(in: (step - 1) * 2_000_000...step * 2_000_000, using: &generator)
  }
}
