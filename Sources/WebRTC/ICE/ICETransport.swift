import RTP

/// Which ICE agent a peer runs (RFC 8445 §2.5, §6.1.1).
public enum ICEMode: Sendable, Hashable {
  /// A server with public addresses: answers checks, sends none.
  case lite
  /// Both sides' candidates are checked. `controlling` is the role to start with; a conflict may turn it.
  case full(controlling: Bool)
}

/// What a peer asks of either ICE agent.
protocol ICETransport: AnyObject {
  /// Where datagrams go; nil before the first pair is chosen and after consent is lost.
  var selected: TransportAddress? { get }
  var deadline: Instant? { get }
  /// Takes a STUN message; nil if it was authentic and used.
  func receive(_ message: STUNMessage, from source: TransportAddress, now: Instant, _ outbox: inout Outbox) -> DropReason?
  /// Whether a check from or to this address succeeded lately enough.
  func isValidated(_ address: TransportAddress) -> Bool
  /// Takes the remote side's description. Other credentials than before are an ICE restart (RFC 8445 §9).
  func setRemote(_ remote: TransportParameters, now: Instant)
  /// New credentials of this side; checks that use the old ones are answered until the first with the new.
  func setLocal(_ credentials: ICECredentials)
  /// The TCP connection to this address is gone.
  func connectionClosed(_ address: TransportAddress, now: Instant)
  func advance(to now: Instant, _ outbox: inout Outbox)
  /// Authentic media came in: proof of life where no checks are sent.
  func heardMedia(at now: Instant)
  func takeTransition() -> Consent.Transition?
}

/// This side's credentials, and the ones before a restart until the other side uses the new.
struct LocalCredentials {
  private(set) var current: ICECredentials
  private var previous: ICECredentials?

  init(_ current: ICECredentials) { self.current = current }

  mutating func replace(by next: ICECredentials) {
    guard next != current else { return }
    previous = current
    current = next
  }

  /// The password that a request with this USERNAME ("ours:theirs") is signed with.
  mutating func password(for username: Slice<UnsafeRawBufferPointer>) -> String? {
    if Self.username(username, isFor: current) {
      return current.password
    }
    return previous.flatMap { Self.username(username, isFor: $0) ? $0.password : nil }
  }

  /// The other side has the new ones: the old die.
  mutating func forgetPrevious(after username: Slice<UnsafeRawBufferPointer>) {
    if previous != nil, Self.username(username, isFor: current) { previous = nil }
  }

  private static func username(_ username: Slice<UnsafeRawBufferPointer>, isFor credentials: ICECredentials) -> Bool {
    guard let colon = username.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return username[..<colon].elementsEqual(credentials.ufrag.utf8)
  }
}
