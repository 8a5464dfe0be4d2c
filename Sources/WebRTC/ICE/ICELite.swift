import RoomRTP

/// The server's ICE agent (RFC 8445 §2.5): always controlled, answers checks, follows the nominations of the other side.
///
/// - A request with the local password validates its source address; at most `addressLimit` addresses are kept, and the one
///   that is silent for longest is evicted.
/// - The first validated address is selected at once; a nomination (USE-CANDIDATE) from another address moves the transport
///   there.
final class ICELite: ICETransport {
  static let addressLimit = 8
  /// The time in microseconds after which silent validated addresses are removed, except the selected one.
  static let addressLifetime: Int64 = 30_000_000

  private struct ValidatedAddress {
    var address: TransportAddress
    var lastReceived: Instant
  }

  private var credentials: LocalCredentials
  private var addresses: [ValidatedAddress] = []
  private var consent = Consent()
  private var lastMedia = Instant(microseconds: 0)
  private(set) var selected: TransportAddress?

  init(_ credentials: ICECredentials) { self.credentials = LocalCredentials(credentials) }

  var deadline: Instant? { consent.deadline }

  func receive(_ message: STUNMessage, from source: TransportAddress, now: Instant, _ outbox: inout Outbox) -> DropReason? {
    // No checks are sent, so no response can match; indications are keep-alives (RFC 8445 §11).
    guard message.kind == .request else { return message.kind == .indication ? nil : .unexpectedResponse }
    let request = BindingRequest(message: message, source: source, isValidated: isValidated(source))
    switch request.judge(&credentials) {
    case .refused(let reason, let reply):
      if let reply { outbox.send(reply, to: source) }
      return reason
    case .authentic(let password):
      if case .controlled = message.role {
        // A lite agent cannot take the controlling role (RFC 8445 §6.1.1), so the other side must.
        if let reply = request.reply(.roleConflict, password: password) { outbox.send(reply, to: source) }
        return .roleConflict
      }
      guard let reply = request.success(password: password) else { return .amplification }
      validate(source, now)
      outbox.send(reply, to: source)
      if selected == nil || message.useCandidate { selected = source }
      if selected == source { consent.received(at: now) }
      return nil
    }
  }

  func isValidated(_ address: TransportAddress) -> Bool {
    addresses.contains { $0.address == address }
  }

  /// Has no effect: requests are signed only with this side's password.
  func setRemote(_ remote: TransportParameters, now: Instant) {}

  func setLocal(_ credentials: ICECredentials) { self.credentials.replace(by: credentials) }

  /// Moves from the closed address to the validated address that was active last; if there is none, the next one is selected at
  /// once.
  func connectionClosed(_ address: TransportAddress, now: Instant) {
    addresses.removeAll { $0.address == address }
    if selected == address { selected = addresses.max { $0.lastReceived < $1.lastReceived }?.address }
  }

  func receivedMedia(at now: Instant) { lastMedia = now }

  func advance(to now: Instant, _ outbox: inout Outbox) {
    if consent.state == .fresh || consent.state == .silent, lastMedia > consent.lastReceived { consent.received(at: lastMedia) }
    consent.advance(to: now)
    if consent.state == .lost { selected = nil }
  }

  func takeTransition() -> Consent.Transition? { consent.takeTransition() }

  private func validate(_ source: TransportAddress, _ now: Instant) {
    if let index = addresses.firstIndex(where: { $0.address == source }) {
      addresses[index].lastReceived = now
      return
    }
    addresses.removeAll { $0.address != selected && now - $0.lastReceived > Self.addressLifetime }
    if addresses.count >= Self.addressLimit,
      let oldest = addresses.indices.filter({ addresses[$0].address != selected })
        .min(by: { addresses[$0].lastReceived < addresses[$1].lastReceived })
    {
      addresses.remove(at: oldest)
    }
    addresses.append(ValidatedAddress(address: source, lastReceived: now))
  }
}
