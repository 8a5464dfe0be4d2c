import RoomRTP

/// One ICE + DTLS + SRTP association: the transport of one side of a peer connection, without I/O.
///
/// The peer uses no socket, thread or clock. The peer's owner
/// 1. passes in datagrams (`receive`), time (`advance`, at the latest at `deadline`) and signalling data (`setRemote`);
/// 2. calls `nextOutput` after each of these until it returns nil: datagrams to send, and events;
/// 3. between `.connected` and the end, protects what it sends (`protectRTP`, `protectRTCP`, or its own sealer) and sends it to
///    `remoteAddress`.
///
/// The server runs it with `ice: .lite, role: .server`, clients with `ice: .full`. Not thread-safe: use it on one owning
/// thread. OpenSSL's 40 kB are freed after the handshake. Media allocates only once for each new SSRC, except in `protectRTP`:
/// Debian's libsrtp2 (on NSS) allocates 5 times per packet with GCM and 14 times with CM.
public final class Peer {
  /// The configuration of a peer.
  public struct Configuration {
    public var ice: ICEMode
    /// The DTLS role of this side; nil (`actpass`) means that the other side's description decides.
    public var role: DTLSRole?
    public var certificate: Certificate
    /// The offered or accepted profiles, in order of preference.
    public var profiles: [SRTPProfile]
    public var credentials: ICECredentials
    /// The maximum number of SSRCs that may send to this peer at a time.
    public var streamLimit: Int
    /// Whether a full agent checks the other side's TCP candidates (RFC 6544). Set it only if the owner opens a connection
    /// whenever there is data to send to an address with `isTCP`.
    public var usesTCP = false
    /// The tie-breaker of a full agent (RFC 8445 §16.1). The times of its consent checks follow from this number.
    public var tieBreaker = UInt64.random(in: .min ... .max)

    public init(
      ice: ICEMode, role: DTLSRole?, certificate: Certificate, credentials: ICECredentials,
      profiles: [SRTPProfile] = SRTPProfile.preferred, streamLimit: Int = 128
    ) {
      self.ice = ice
      self.role = role
      self.certificate = certificate
      self.profiles = profiles
      self.credentials = credentials
      self.streamLimit = streamLimit
    }
  }

  /// The reason why a peer could not be created.
  public enum ConfigurationError: Error, Sendable, Hashable {
    /// There is no SRTP profile to offer.
    case noProfiles
    /// The user fragment has fewer than 4 or more than 256 characters, or the password fewer than 22 or more than 256 (RFC 8445
    /// §5.3).
    case credentials
  }

  private enum State { case open, connected, ended }

  private let configuration: Configuration
  private let ice: any ICETransport
  private let agent: ICEAgent?
  private var state = State.open
  private var dtls: DTLSAssociation?
  /// The destination of DTLS before a pair is selected: the validated address from which it arrived.
  private var dtlsSource: TransportAddress?
  private var remote: TransportParameters?
  private var role: DTLSRole?
  private var keys: SRTPKeys?
  private var opener: SRTPOpener?
  /// The same opener without reference counting, because it is used for each packet.
  @exclusivity(unchecked) private var inbound: Unmanaged<SRTPOpener>?
  /// Created by the first `protectRTP`: a server seals elsewhere and does not need its 18–30 kB.
  private var outbound: SRTPSession?
  private var reports: SRTCPSealer?
  private var outbox = Outbox()
  private var seenOverflow = 0
  /// The data channels; nil until the descriptions have them.
  private var channels: DataChannels?
  private var holdsChannelEvents = false
  /// The time of the last input, at which the output of the data channels is taken.
  private var now = Instant(microseconds: 0)

  /// The address to which datagrams are sent; nil before ICE has selected one and after consent is lost.
  @exclusivity(unchecked) public private(set) var remoteAddress: TransportAddress?
  /// The time at which `advance` is due; nil if nothing is pending. Cheap, because it is a stored property.
  public private(set) var deadline: Instant?
  /// The number of dropped datagrams and packets by reason.
  public private(set) var drops = DropCounters()

  public init(_ configuration: Configuration) throws(ConfigurationError) {
    guard !configuration.profiles.isEmpty else { throw .noProfiles }
    guard (4...256).contains(configuration.credentials.ufrag.utf8.count),
      (22...256).contains(configuration.credentials.password.utf8.count)
    else { throw .credentials }
    self.configuration = configuration
    role = configuration.role
    switch configuration.ice {
    case .lite:
      agent = nil
      ice = ICELite(configuration.credentials)
    case .full(let controlling):
      let agent = ICEAgent(
        configuration.credentials, controlling: controlling, usesTCP: configuration.usesTCP,
        tieBreaker: configuration.tieBreaker)
      self.agent = agent
      ice = agent
    }
  }

  // MARK: Signalling

  /// Applies the other side's description: the first or a later one. Changed ICE credentials restart ICE; the DTLS association
  /// and its keys remain (RFC 8842 §5.5: as long as the fingerprints do).
  public func setRemote(_ remote: TransportParameters, now: Instant) {
    guard state != .ended else { return }
    self.remote = remote
    if let theirs = remote.role {
      guard role != theirs else { return end(.dtlsRole) }
      role = role ?? (theirs == .client ? .server : .client)
    } else {
      role = role ?? .client
    }
    ice.setRemote(remote, now: now)
    if let dtls { apply(dtls.expect(remote.fingerprints)) }
    advanceAll(to: now)
  }

  /// Sets new ICE credentials for this side: its half of an ICE restart. Requests with the old credentials are answered until
  /// the first one with the new credentials arrives.
  public func setLocal(_ credentials: ICECredentials) { ice.setLocal(credentials) }

  /// Notifies a full agent that its socket has a new address or network: all pairs are checked again while media continues. A
  /// lite agent detects changes from the other side's checks.
  public func localAddressChanged(now: Instant) {
    agent?.localAddressChanged(now: now)
    advanceAll(to: now)
  }

  /// Reports that the TCP connection to or from this address has ended, so the address is no longer validated. A lite agent
  /// continues at another validated address; a full agent checks again.
  public func connectionClosed(_ address: TransportAddress, now: Instant) {
    guard state != .ended else { return }
    ice.connectionClosed(address, now: now)
    advanceAll(to: now)
  }

  // MARK: Data channels

  /// Enables data channels, which both descriptions have. Applies once; calls with other parameters have no effect.
  ///
  /// A full agent begins the association; a lite one waits for the other side, and stores nothing for one that does not begin.
  public func enableChannels(_ remote: DataParameters, now: Instant) {
    guard state != .ended, channels == nil, let role else { return }
    self.now = now
    channels = DataChannels(role: role, remote: remote)
    dtls?.keepsData = true
    if state == .connected { startChannels() }
    // The other side may have begun before its description arrived.
    receiveData()
    refreshDeadline()
  }

  /// Opens a data channel. `DataChannelEvent.opened` reports when messages can be sent.
  /// - Parameter negotiated: the number, if both sides open the channel by agreement (`negotiated: true`).
  public func openChannel(
    _ channel: DataChannel, negotiated: DataChannelID? = nil, now: Instant
  ) throws(DataChannelError) -> DataChannelID {
    guard let channels else { throw .unavailable }
    self.now = now
    defer { refreshDeadline() }
    return try channels.open(channel, negotiated: negotiated)
  }

  /// Sends a message on a data channel.
  public func send(_ message: DataChannelMessage, on id: DataChannelID, now: Instant) throws(DataChannelError) {
    guard let channels else { throw .unavailable }
    self.now = now
    try channels.send(message, on: id, now: now)
  }

  /// Keeps back the events of the data channels, or returns them again. Messages that are kept back close the receive window, so
  /// that the other side waits.
  public func holdChannelEvents(_ holds: Bool, now: Instant) {
    self.now = now
    holdsChannelEvents = holds
  }

  /// Closes a data channel after the messages that are queued. `DataChannelEvent.closed` reports the end.
  public func closeChannel(_ id: DataChannelID, now: Instant) {
    self.now = now
    channels?.close(id)
  }

  /// Returns the bytes of a data channel that are not yet sent.
  public func bufferedAmount(of id: DataChannelID) -> Int { channels?.bufferedAmount(of: id) ?? 0 }

  /// Sets the unsent bytes at which `DataChannelEvent.bufferedAmountLow` is reported; 0 at first.
  public func setBufferedAmountLow(_ bytes: Int, of id: DataChannelID) { channels?.setBufferedAmountLow(bytes, of: id) }

  /// Passes application data to the data channels, once there are any and the other side's certificate is known to be right.
  private func receiveData() {
    guard state == .connected, let channels, let dtls else { return }
    for data in dtls.takeIncoming() { data.withUnsafeBytes { channels.receive($0, now: now) } }
  }

  private func startChannels() {
    guard agent != nil else { return }
    channels?.start(now: now)
  }

  /// Returns the next event or datagram of the data channels.
  private func nextChannelOutput() -> PeerOutput? {
    guard state == .connected, let channels, let dtls else { return nil }
    defer { refreshDeadline() }
    if !holdsChannelEvents, let event = channels.nextEvent() { return .event(.channel(event)) }
    guard let destination = remoteAddress else { return nil }
    guard let packet = channels.nextPacket(now: now) else {
      return holdsChannelEvents ? nil : channels.nextEvent().map { .event(.channel($0)) }
    }
    return dtls.seal(packet).map { .transmit($0, to: destination) }
  }

  // MARK: Datagrams

  /// Processes one datagram, or one frame of a TCP connection, received from `source`. RTP and RTCP are decrypted in place;
  /// STUN and DTLS are consumed.
  public func receive(_ datagram: UnsafeMutableRawBufferPointer, from source: TransportAddress, now: Instant) -> Received {
    let received: Received
    switch DatagramKind.classify(UnsafeRawBufferPointer(datagram)) {
    case .rtp: received = receiveMedia(datagram, isRTCP: false, from: source, now: now)
    case .rtcp: received = receiveMedia(datagram, isRTCP: true, from: source, now: now)
    case .stun: received = receiveSTUN(UnsafeRawBufferPointer(datagram), from: source, now: now)
    case .dtls: received = receiveDTLS(UnsafeRawBufferPointer(datagram), from: source, now: now)
    case .unknown: received = .dropped(.unknownKind)
    }
    if case .dropped(let reason) = received { drops.count(reason) }
    return received
  }

  /// Returns whether STUN has validated this address as the other side's. A server maps a 5-tuple to a peer only then.
  public func isValidated(_ address: TransportAddress) -> Bool { address == remoteAddress || ice.isValidated(address) }

  private func receiveMedia(
    _ datagram: UnsafeMutableRawBufferPointer, isRTCP: Bool, from source: TransportAddress, now: Instant
  ) -> Received {
    guard let inbound else { return .dropped(state == .ended ? .closed : .notReady) }
    guard isValidated(source) else { return .dropped(.unvalidatedAddress) }
    switch inbound._withUnsafeGuaranteedRef({ isRTCP ? $0.openRTCP(datagram) : $0.openRTP(datagram) }) {
    case .success(let length):
      ice.receivedMedia(at: now)
      return isRTCP ? .rtcp(length: length) : .rtp(length: length)
    case .failure(let reason): return .dropped(reason)
    }
  }

  private func receiveSTUN(_ datagram: UnsafeRawBufferPointer, from source: TransportAddress, now: Instant) -> Received {
    guard state != .ended else { return .dropped(.closed) }
    guard let message = STUNMessage(parsing: datagram) else { return .dropped(.malformedSTUN) }
    let reason = ice.receive(message, from: source, now: now, &outbox)
    advanceAll(to: now)
    return reason.map { .dropped($0) } ?? .consumed
  }

  private func receiveDTLS(_ datagram: UnsafeRawBufferPointer, from source: TransportAddress, now: Instant) -> Received {
    guard state != .ended else { return .dropped(.closed) }
    guard isValidated(source) else { return .dropped(.unvalidatedAddress) }
    if dtls == nil, role == .server { openDTLS(.server) }
    guard let dtls else { return .dropped(.notReady) }
    dtlsSource = source
    let progress = dtls.receive(datagram, now: now)
    self.now = now
    apply(progress)
    receiveData()
    refreshDeadline()
    if case .dropped(let reason) = progress { return .dropped(reason) }
    return .consumed
  }

  // MARK: Time

  /// Performs the actions that are due: checks, consent, retransmissions of DTLS flights.
  public func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    advanceAll(to: now)
  }

  private func advanceAll(to now: Instant) {
    guard state != .ended else { return }
    ice.advance(to: now, &outbox)
    followICE(now)
    if let dtls, state != .ended { apply(dtls.advance(to: now)) }
    if state == .connected, let channels {
      self.now = now
      channels.advance(to: now)
    }
    refreshDeadline()
  }

  private func followICE(_ now: Instant) {
    if let selected = ice.selected, selected != remoteAddress {
      let isFirst = remoteAddress == nil
      remoteAddress = selected
      if !isFirst { outbox.report(.addressChanged(selected)) }
    }
    switch ice.takeTransition() {
    case .disconnected: outbox.report(.disconnected)
    case .reconnected: outbox.report(.reconnected)
    case .lost:
      remoteAddress = nil
      outbox.report(.failed(.lostConsent))
    case nil: break
    }
    if agent?.takeFailure() == true { return end(.iceTimeout) }
    if dtls == nil, role == .client, remoteAddress != nil, remote != nil {
      openDTLS(.client)
      if let dtls { apply(dtls.start(now: now)) }
    }
  }

  private func refreshDeadline() {
    if outbox.overflow != seenOverflow {
      drops.count(.outputFull, times: outbox.overflow - seenOverflow)
      seenOverflow = outbox.overflow
    }
    guard state != .ended else {
      deadline = nil
      return
    }
    deadline = [ice.deadline, dtls?.deadline, state == .connected ? channels?.deadline : nil].lazy.compactMap { $0 }.min()
  }

  // MARK: Output

  /// Returns the next datagram to send or the next event; nil if there is no more output.
  public func nextOutput() -> PeerOutput? { outbox.next() ?? (channels == nil ? nil : nextChannelOutput()) }

  /// Protects the RTP packet in the first `length` bytes of the buffer in place and returns its new length. Returns nil before
  /// `.connected`, after the end, and for a malformed packet, a buffer without `SRTPProfile.rtpOverhead` spare bytes, or a
  /// reused sequence number.
  public func protectRTP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    if outbound == nil, let keys {
      outbound = SRTPSession(profile: keys.profile, master: keys.local)
    }
    return outbound?.protectRTP(buffer, length: length)
  }

  /// Protects an RTCP compound like `protectRTP`, with `SRTPProfile.rtcpOverhead` spare bytes.
  public func protectRTCP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    reports?.seal(buffer, length: length)
  }

  /// Returns a sealer for RTP with this peer's keys; nil before `.connected`. A caller that uses it must send all RTP through
  /// it, because `protectRTP` would reuse its sequence numbers.
  public func makeSealer() -> SRTPSealer? {
    keys.flatMap { SRTPSealer(profile: $0.profile, master: $0.local) }
  }

  /// The key and salt by which this peer sends; nil before `.connected`. For a program that measures a loop without this module.
  package var sendingMaster: [UInt8]? { keys?.local }

  /// The negotiated profile; nil before `.connected`.
  public var profile: SRTPProfile? { keys?.profile }

  /// The round-trip time of the last answered check of a full agent, in microseconds.
  public var roundTrip: Int64? { agent?.roundTrip }

  /// Removes an SSRC that signalling has ended, in both directions, so that another SSRC can be used.
  public func removeStream(ssrc: SSRC) {
    opener?.removeStream(ssrc)
    outbound?.removeStream(ssrc)
  }

  /// Sends close_notify and ends the association; the remaining output can still be taken.
  public func close(now: Instant) {
    guard state != .ended else { return }
    if let dtls {
      dtls.close()
      sendDTLS(dtls)
    }
    finish()
  }

  // MARK: DTLS

  private func openDTLS(_ role: DTLSRole) {
    dtls = DTLSAssociation(certificate: configuration.certificate, role: role, profiles: configuration.profiles)
    guard let dtls else { return end(.handshake("out of memory")) }
    dtls.keepsData = channels != nil
    if let remote { _ = dtls.expect(remote.fingerprints) }
  }

  private func apply(_ progress: DTLSAssociation.Progress) {
    if let dtls { sendDTLS(dtls) }
    switch progress {
    case .none, .dropped: break
    case .connected: connect()
    case .closed:
      outbox.report(.closed)
      finish()
    case .failed(let reason): end(reason)
    }
  }

  private func connect() {
    guard let keys = dtls?.exportKeys(),
      let opener = SRTPOpener(profile: keys.profile, master: keys.remote, streamLimit: configuration.streamLimit),
      let reports = SRTCPSealer(profile: keys.profile, master: keys.local)
    else { return end(.srtp) }
    self.keys = keys
    self.opener = opener
    inbound = Unmanaged.passUnretained(opener)
    self.reports = reports
    state = .connected
    outbox.report(.connected(keys.profile))
    startChannels()
  }

  private func sendDTLS(_ dtls: DTLSAssociation) {
    let datagrams = dtls.takeOutgoing()
    guard let destination = remoteAddress ?? dtlsSource else { return }
    for datagram in datagrams { outbox.send(datagram, to: destination) }
  }

  private func end(_ reason: PeerFailure) {
    outbox.report(.failed(reason))
    finish()
  }

  private func finish() {
    state = .ended
    remoteAddress = nil
    keys = nil
    inbound = nil
    opener = nil
    outbound = nil
    reports = nil
    dtls = nil
    channels = nil
    deadline = nil
  }
}
