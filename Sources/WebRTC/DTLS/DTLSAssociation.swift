import RoomCOpenSSL
import RoomRTP

/// One DTLS 1.2 association over OpenSSL's memory BIOs (RFC 6347, RFC 5764). The association's input is datagrams and time, its
/// output datagrams.
///
/// - The server side answers from the first ClientHello on; the client side begins with `start`.
/// - The other side's certificate is checked against fingerprints (RFC 8122). If they arrive after the certificate, the
///   handshake continues but does not complete before they arrive; no keys are available before.
/// - Lost flights are repeated 200 ms after they were sent, then at intervals of 400 ms … 2 s; after 30 s the handshake fails.
/// - After the handshake, `DTLSProtection` replaces OpenSSL, whose association would keep 40 kB. With another cipher than AES-128-GCM
///   OpenSSL stays, without its record buffers.
final class DTLSAssociation {
  enum State: Equatable { case idle, handshaking, awaitingFingerprint, connected, closed, failed }
  enum Progress: Equatable { case none, connected, closed, failed(PeerFailure), dropped(DropReason) }

  static let mtu = 1200
  static let firstRepetition: Int64 = 200_000
  static let longestRepetition: Int64 = 2_000_000
  static let patience: Int64 = 30_000_000

  let role: DTLSRole
  private(set) var state = State.idle
  private(set) var deadline: Instant?
  /// The datagrams to send, in order; the owner takes them.
  private var outgoing: [[UInt8]] = []
  /// Whether application data is kept for the owner; otherwise all but the first records are discarded.
  var keepsData = false
  /// The number of records that are kept before the owner says that it wants them: the other side may be faster than signalling.
  static let earlyRecords = 4
  private var incoming: [[UInt8]] = []

  /// OpenSSL's association; nil once `protection` has replaced it.
  private var ssl: OpaquePointer?
  private var protection: DTLSProtection?
  /// Whether `protection` replaces OpenSSL.
  var replacesOpenSSL = true
  var hasReplacedOpenSSL: Bool { protection != nil }
  private var keys: SRTPKeys?
  /// The BIOs of `ssl`, which end with it.
  private let input: OpaquePointer
  private let output: OpaquePointer
  private var fingerprints: [Fingerprint]?
  private var fingerprintRefused = false
  private var flight = DTLSFlight()
  private var started = Instant(microseconds: 0)
  private var repetition = firstRepetition
  private var lastReply: Instant?

  init?(certificate: Certificate, role: DTLSRole, profiles: [SRTPProfile]) {
    guard let ssl = SSL_new(certificate.context) else { return nil }
    // SSL_set_tlsext_use_srtp returns 0 on success.
    guard SSL_set_tlsext_use_srtp(ssl, profiles.map(\.name).joined(separator: ":")) == 0,
      let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem())
    else {
      SSL_free(ssl)
      return nil
    }
    openssl_bio_set_mem_eof_return(input, -1)
    openssl_bio_set_mem_eof_return(output, -1)
    SSL_set_bio(ssl, input, output)
    _ = openssl_set_mtu(ssl, Self.mtu)
    self.ssl = ssl
    self.input = input
    self.output = output
    self.role = role
    if role == .client { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { if let ssl { SSL_free(ssl) } }

  // MARK: Handshake

  /// Sends the client's first flight.
  func start(now: Instant) -> Progress {
    guard state == .idle, role == .client else { return .none }
    begin(now)
    return handshake(now)
  }

  /// Sets the accepted fingerprints of the other side's certificate; one match is sufficient.
  func expect(_ fingerprints: [Fingerprint]) -> Progress {
    self.fingerprints = fingerprints
    guard state == .awaitingFingerprint else { return .none }
    return finish()
  }

  /// Processes one datagram from an address that STUN has validated.
  func receive(_ datagram: UnsafeRawBufferPointer, now: Instant) -> Progress {
    guard state != .failed, state != .closed else { return .dropped(.closed) }
    guard let first = DTLSRecord(datagram, at: 0) else { return .dropped(.malformedDTLS) }
    if state == .idle {
      guard role == .server else { return .dropped(.notReady) }
      // Only a ClientHello starts an association; anything else is left over from an older one.
      guard first.type == .handshake, first.epoch == 0, datagram.count > 13, datagram[13] == 1 else {
        return .dropped(.malformedDTLS)
      }
      begin(now)
    }
    ERR_clear_error()
    // The client did not receive the last flight.
    let isRepetition = state != .handshaking && first.epoch == 0 && first.type != .alert
    if isRepetition { repeatFinalFlight(now) }
    if let protection { return read(datagram, with: protection, isRepetition: isRepetition) }
    guard write(datagram) else { return isRepetition ? .none : .dropped(.malformedDTLS) }
    // A memory BIO has no datagram boundaries: bytes that OpenSSL left unread must not precede the next datagram.
    defer { if ssl != nil { _ = BIO_ctrl(input, BIO_CTRL_RESET, 0, nil) } }
    if state == .handshaking { return handshake(now) }
    guard let ssl, SSL_alloc_buffers(ssl) == 1 else { return .dropped(.notReady) }
    return read(ssl)
  }

  func advance(to now: Instant) -> Progress {
    guard let due = deadline, due <= now, state == .handshaking, let ssl else { return .none }
    guard now - started < Self.patience else { return fail(.dtlsTimeout) }
    // OpenSSL's own timer uses the system clock and has already rewritten the flight if it has expired; otherwise the flight is
    // repeated here.
    ERR_clear_error()
    _ = openssl_dtls_handle_timeout(ssl)
    if !takeWritten() { outgoing += flight.repeated(mtu: Self.mtu) }
    repetition = min(repetition * 2, Self.longestRepetition)
    scheduleRepetition(now)
    return .none
  }

  /// Sends close_notify and ends the association.
  func close() {
    if state == .connected || state == .awaitingFingerprint {
      ERR_clear_error()
      if let protection {
        // A warning, close_notify (RFC 5246 §7.2.1).
        if let record = protection.seal(.alert, [1, 0]) { outgoing.append(record) }
        // OpenSSL's DTLS writes to freed buffers unless they are allocated again.
      } else if let ssl, SSL_alloc_buffers(ssl) == 1 {
        _ = SSL_shutdown(ssl)
        _ = takeWritten()
      }
    }
    state = .closed
    deadline = nil
  }

  /// Returns the datagrams written since the last call.
  func takeOutgoing() -> [[UInt8]] {
    defer { outgoing.removeAll() }
    return outgoing
  }

  // MARK: Application data

  /// The maximum number of bytes that the header, the nonce and the tag of a record add to its data (RFC 5288 §3, RFC 7905 §2).
  static let overhead = DTLSRecord.headerLength + 8 + 16

  /// Returns the application data received since the last call, a record each.
  func takeIncoming() -> [[UInt8]] {
    guard !incoming.isEmpty else { return [] }
    defer { incoming.removeAll() }
    return incoming
  }

  /// Returns a datagram with application data; nil before the handshake is complete and after the end.
  func seal(_ data: [UInt8]) -> [UInt8]? {
    guard state == .connected else { return nil }
    if let protection { return protection.seal(.applicationData, data) }
    ERR_clear_error()
    guard let ssl, SSL_alloc_buffers(ssl) == 1 else { return nil }
    defer { SSL_free_buffers(ssl) }
    guard SSL_write(ssl, data, Int32(clamping: data.count)) == Int32(clamping: data.count) else { return nil }
    let pending = BIO_ctrl_pending(output)
    guard pending > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
      count = max(0, Int(BIO_read(output, buffer.baseAddress, Int32(clamping: pending))))
    }
  }

  // MARK: Result

  /// Returns the negotiated profile and the master keys of both directions; nil before the handshake is complete.
  func exportKeys() -> SRTPKeys? { state == .connected ? keys : nil }

  private func export(_ ssl: OpaquePointer) -> SRTPKeys? {
    let selected = SSL_get_selected_srtp_profile(ssl)
    guard let profile = selected.flatMap({ SRTPProfile(rawValue: UInt16(truncatingIfNeeded: $0.pointee.id)) }) else {
      return nil
    }
    let label = "EXTRACTOR-dtls_srtp"
    var block = [UInt8](repeating: 0, count: SRTPKeys.exportedLength(profile))
    guard SSL_export_keying_material(ssl, &block, block.count, label, label.utf8.count, nil, 0, 0) == 1 else { return nil }
    return SRTPKeys(profile: profile, exported: block, role: role)
  }

  // MARK: Steps

  private func begin(_ now: Instant) {
    state = .handshaking
    started = now
    deadline = now.advanced(microseconds: Self.patience)
  }

  /// Passes the plausible records of a datagram to OpenSSL; returns false if there are none.
  ///
  /// A protected record that is too short for its tag ends OpenSSL's association on some processors (its AES-GCM for AVX-512
  /// fails where the others find the tag wrong), and anyone who knows the client's address can send one. After the handshake,
  /// unencrypted records and records of a later epoch are useless.
  private func write(_ datagram: UnsafeRawBufferPointer) -> Bool {
    var hasWritten = false
    var offset = 0
    while let record = DTLSRecord(datagram, at: offset) {
      offset = record.range.upperBound
      let body = record.range.count - DTLSRecord.headerLength
      let isPlausible = record.epoch == 0 ? state == .handshaking : record.epoch == 1 && body >= shortestProtected
      guard isPlausible else { continue }
      let bytes = UnsafeRawBufferPointer(rebasing: datagram[record.range])
      guard BIO_write(input, bytes.baseAddress, Int32(truncatingIfNeeded: bytes.count)) == Int32(bytes.count) else {
        return false
      }
      hasWritten = true
    }
    return hasWritten
  }

  /// The number of bytes in the body of an alert, the shortest record: the explicit part of the nonce, two bytes and the tag
  /// (RFC 5288 §3, RFC 7905 §2).
  private var shortestProtected: Int {
    guard state != .handshaking, let ssl, let cipher = SSL_get_current_cipher(ssl) else { return 8 + 2 + 16 }
    return SSL_CIPHER_get_cipher_nid(cipher) == NID_chacha20_poly1305 ? 2 + 16 : 8 + 2 + 16
  }

  private func scheduleRepetition(_ now: Instant) {
    let end = started.advanced(microseconds: Self.patience)
    deadline = flight.isEmpty ? end : min(end, now.advanced(microseconds: repetition))
  }

  private func handshake(_ now: Instant) -> Progress {
    guard let ssl else { return .none }
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    let reason = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, result)
    if takeWritten() {
      repetition = Self.firstRepetition
      scheduleRepetition(now)
    }
    if fingerprintRefused { return fail(.fingerprint) }
    if result == 1 { return finish() }
    return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? .none : fail(.handshake(Self.lastError))
  }

  /// The reason why OpenSSL's last call failed: one of its fixed texts.
  private static var lastError: String {
    ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? "no reason given"
  }

  private func finish() -> Progress {
    deadline = nil
    guard fingerprints != nil else {
      state = .awaitingFingerprint
      return .none
    }
    guard let ssl, let certificate = SSL_get1_peer_certificate(ssl) else { return fail(.fingerprint) }
    defer { X509_free(certificate) }
    guard matches(certificate) else {
      state = .connected
      close()
      return fail(.fingerprint)
    }
    keys = export(ssl)
    guard keys != nil else { return fail(.noCommonProfile) }
    state = .connected
    if replacesOpenSSL { protection = DTLSProtection(of: ssl, role: role) }
    if protection == nil {
      SSL_free_buffers(ssl)
    } else {
      SSL_free(ssl)
      self.ssl = nil
    }
    return .connected
  }

  private func fail(_ reason: PeerFailure) -> Progress {
    state = .failed
    deadline = nil
    return .failed(reason)
  }

  /// Reads the records after the handshake.
  private func read(_ datagram: UnsafeRawBufferPointer, with protection: DTLSProtection, isRepetition: Bool) -> Progress {
    var offset = 0
    var isPlausible = isRepetition
    while let record = DTLSRecord(datagram, at: offset) {
      offset = record.range.upperBound
      guard record.epoch == 1 else { continue }
      isPlausible = true
      switch protection.open(record, in: datagram) {
      case .data(let data): if keepsData || incoming.count < Self.earlyRecords { incoming.append(data) }
      case .closeNotify:
        close()
        return .closed
      case .fatalAlert: return fail(.alert)
      case .nothing: break
      }
    }
    return isPlausible ? .none : .dropped(.malformedDTLS)
  }

  /// Reads the records after the handshake with OpenSSL: alerts and application data.
  private func read(_ ssl: OpaquePointer) -> Progress {
    var result: Int32 = 1
    // A datagram contains few records; the bound limits the cost of a flood of tiny ones.
    for _ in 0..<64 where result > 0 {
      ERR_clear_error()
      result = keepsData || incoming.count < Self.earlyRecords ? readData(ssl) : discardData(ssl)
    }
    let reason = result > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl, result)
    _ = takeWritten()
    if SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 {
      close()
      return .closed
    }
    if reason == SSL_ERROR_SSL || reason == SSL_ERROR_SYSCALL { return fail(.alert) }
    SSL_free_buffers(ssl)
    return .none
  }

  private func discardData(_ ssl: OpaquePointer) -> Int32 {
    var sink: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    return withUnsafeMutableBytes(of: &sink) { SSL_read(ssl, $0.baseAddress, Int32($0.count)) }
  }

  /// Reads one record. A longer one than fits into a datagram of a network would be read in parts, which SCTP then drops.
  private func readData(_ ssl: OpaquePointer) -> Int32 {
    var result: Int32 = 0
    let data = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
      result = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
      count = max(0, Int(result))
    }
    if result > 0 { incoming.append(data) }
    return result
  }

  /// Repeats the final flight when the other side repeats its own (RFC 6347 §4.2.4), at most once in 50 ms.
  private func repeatFinalFlight(_ now: Instant) {
    guard role == .server, !flight.isEmpty, outgoing.isEmpty else { return }
    if let lastReply, now - lastReply < 50_000 { return }
    lastReply = now
    outgoing += flight.repeated(mtu: Self.mtu)
  }

  /// Moves OpenSSL's output to `outgoing`; returns false if there is none.
  private func takeWritten() -> Bool {
    let pending = BIO_ctrl_pending(output)
    guard pending > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: pending)
    let count = BIO_read(output, &bytes, Int32(truncatingIfNeeded: pending))
    guard count > 0 else { return false }
    outgoing += flight.replace(with: Array(bytes.prefix(Int(count))), mtu: Self.mtu)
    return true
  }

  private func matches(_ certificate: OpaquePointer) -> Bool {
    (fingerprints ?? []).contains { Fingerprint(of: certificate, algorithm: $0.algorithm) == $0 }
  }

  /// OpenSSL's verify callback during the handshake: a certificate that is known to be wrong is rejected with an alert at once.
  static func accepts(_ store: OpaquePointer?) -> Bool {
    guard let store, let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let pointer = SSL_get_ex_data(OpaquePointer(ssl), 0)
    else { return false }
    let association = Unmanaged<DTLSAssociation>.fromOpaque(pointer).takeUnretainedValue()
    guard association.fingerprints != nil else { return true }
    guard let certificate = X509_STORE_CTX_get0_cert(store), association.matches(certificate) else {
      X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
      association.fingerprintRefused = true
      return false
    }
    return true
  }
}
