import RoomRTP

/// The ICE agent that a peer runs (RFC 8445 §2.5, §6.1.1).
public enum ICEMode: Sendable, Hashable {
  /// A server with public addresses: answers checks, sends none.
  case lite
  /// Candidates of both sides are checked. `controlling` is the initial role; a conflict may change it.
  case full(controlling: Bool)
}

/// The common interface of both ICE agents.
protocol ICETransport: AnyObject {
  /// The address to which datagrams are sent; nil before the first pair is selected and after consent is lost.
  var selected: TransportAddress? { get }
  var deadline: Instant? { get }
  /// Processes a STUN message; returns nil if it was authentic and used.
  func receive(_ message: STUNMessage, from source: TransportAddress, now: Instant, _ outbox: inout Outbox) -> DropReason?
  /// Returns whether a check from or to this address succeeded recently.
  func isValidated(_ address: TransportAddress) -> Bool
  /// Applies the remote side's description. Changed credentials are an ICE restart (RFC 8445 §9).
  func setRemote(_ remote: TransportParameters, now: Instant)
  /// Sets new credentials of this side; checks with the old ones are answered until the first one with the new ones.
  func setLocal(_ credentials: ICECredentials)
  /// Handles the end of the TCP connection to this address.
  func connectionClosed(_ address: TransportAddress, now: Instant)
  func advance(to now: Instant, _ outbox: inout Outbox)
  /// Records that authentic media arrived, which proves liveness if no checks are sent.
  func receivedMedia(at now: Instant)
  func takeTransition() -> Consent.Transition?
}

/// The credentials of this side, and the previous ones after a restart until the other side uses the new ones.
struct LocalCredentials {
  private(set) var current: ICECredentials
  private var previous: ICECredentials?

  init(_ current: ICECredentials) { self.current = current }

  mutating func replace(by next: ICECredentials) {
    guard next != current else { return }
    previous = current
    current = next
  }

  /// Returns the password for a request with this USERNAME ("local:remote").
  mutating func password(for username: Slice<UnsafeRawBufferPointer>) -> String? {
    if Self.username(username, isFor: current) {
      return current.password
    }
    return previous.flatMap { Self.username(username, isFor: $0) ? $0.password : nil }
  }

  /// Removes the previous credentials once the other side uses the new ones.
  mutating func forgetPrevious(after username: Slice<UnsafeRawBufferPointer>) {
    if previous != nil, Self.username(username, isFor: current) { previous = nil }
  }

  private static func username(_ username: Slice<UnsafeRawBufferPointer>, isFor credentials: ICECredentials) -> Bool {
    guard let colon = username.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return username[..<colon].elementsEqual(credentials.ufrag.utf8)
  }
}
