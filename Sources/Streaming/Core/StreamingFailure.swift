import RoomPush

/// Why a push did not start, or ended. New versions of the library may add cases, so a `switch` should have a `default`.
public enum StreamingFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is none that a session pushes to. The text is the URL without its query.
  case invalidURL(String)
  /// The session is already started. Stop it first, or call `restart`.
  case alreadyRunning
  /// The session was stopped before it was connected.
  case stopped
  /// The server says that the URL or its token has expired: the app needs a new URL. The text is the server's answer.
  case expired(String)
  /// The server does not permit the push: the URL's signature or token is missing or wrong. The text is the server's answer.
  case unauthorized(String)
  /// The server refused the stream for another reason. The text is its answer.
  case rejected(String)
  /// The host has no address. The text is its name.
  case nameNotFound(String)
  /// No connection could be opened. The text is the cause.
  case unreachable(String)
  /// The server's certificate is not trusted, or the TLS handshake failed. The text is the cause.
  case tls(String)
  /// The server does not speak the URL's protocol. The text is the cause.
  case protocolViolation(String)
  /// The server did not answer in time. The text names the step.
  case timedOut(String)
  /// The connection was lost. The text is the cause.
  case connectionLost(String)
  /// The server accepted no data for too long.
  case stalled
  /// The encoders cannot be made. The text is the cause.
  case encoder(String)

  /// A sentence that describes the failure.
  public var description: String {
    switch self {
    case .invalidURL(let url): "not a URL to push to: \(url)"
    case .alreadyRunning: "the session is already started"
    case .stopped: "the session was stopped"
    case .expired(let answer): "the URL has expired: \(answer)"
    case .unauthorized(let answer): "the server does not permit the push: \(answer)"
    case .rejected(let answer): "the server refused the stream: \(answer)"
    case .nameNotFound(let host): "the host has no address: \(host)"
    case .unreachable(let cause): "cannot connect to the server: \(cause)"
    case .tls(let cause): "TLS failed: \(cause)"
    case .protocolViolation(let cause): "the server speaks another protocol: \(cause)"
    case .timedOut(let step): "no answer in time: \(step)"
    case .connectionLost(let cause): "the connection was lost: \(cause)"
    case .stalled: "the server accepted no data for too long"
    case .encoder(let cause): "the media cannot be encoded: \(cause)"
    }
  }

  /// Whether another try with the same URL cannot succeed.
  var isFinal: Bool {
    switch self {
    case .invalidURL, .alreadyRunning, .stopped, .expired, .unauthorized, .encoder: true
    default: false
    }
  }

  /// Creates the failure for the answer of a server that refused.
  init(answer: String, isForbidden: Bool = false) {
    // No protocol has a code for it, and servers say it in words.
    if answer.lowercased().contains("expired") {
      self = .expired(answer)
    } else {
      self = isForbidden ? .unauthorized(answer) : .rejected(answer)
    }
  }

  init(_ failure: PushFailure) {
    switch failure {
    case .name(let host): self = .nameNotFound(host)
    case .forbidden(let host): self = .unreachable(host)
    case .refused(let cause): self = .unreachable(cause)
    case .tls(let cause): self = .tls(cause)
    case .handshake: self = .protocolViolation("not RTMP")
    case .rejected(let code, let reason): self.init(answer: reason.isEmpty ? code : "\(code), \(reason)")
    case .timeout(let step): self = .timedOut(step)
    case .broken(let cause), .file(let cause): self = .connectionLost(cause)
    case .stalled: self = .stalled
    }
  }
}
