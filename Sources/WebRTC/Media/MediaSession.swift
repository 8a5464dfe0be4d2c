import RoomRTP

/// A media session over one `Peer`: accepts encoded frames to send and returns received encoded frames, with all processing in
/// between.
///
/// - Sending: packetise, number, pace, seal; answer NACKs by RTX (RFC 4588); send sender reports; convert transport-wide
///   feedback into a target bitrate; report PLI and FIR as key frame requests.
/// - Receiving: unwrap RTX, request missing packets, assemble frames in order; send receiver reports and transport-wide
///   feedback; send a PLI if a picture cannot be completed.
///
/// Sans-I/O: pass in datagrams and time, then drain `nextOutput` after every call, and call `advance` at `deadline`. Use it on
/// one owning thread.
public final class MediaSession {
  /// The configuration of a session.
  public struct Configuration: Sendable {
    public var ice: ICEMode
    public var role: DTLSRole
    public var certificate: Certificate
    public var credentials: ICECredentials
    public var profiles: [SRTPProfile]
    public var bandwidth: PathEstimator.Configuration
    /// The CNAME sent in SDES with every report (RFC 3550 §6.5.1).
    public var cname: String
    /// Whether the far end's TCP candidates are checked (`Peer.Configuration.usesTCP`).
    public var usesTCP = false

    public init(
      ice: ICEMode, role: DTLSRole, certificate: Certificate, credentials: ICECredentials,
      profiles: [SRTPProfile] = SRTPProfile.preferred, bandwidth: PathEstimator.Configuration = .init(),
      cname: String = "-"
    ) {
      self.ice = ice
      self.role = role
      self.certificate = certificate
      self.credentials = credentials
      self.profiles = profiles
      self.bandwidth = bandwidth
      self.cname = cname
    }
  }

  /// The actions for the owner, in order.
  public enum Output: Sendable, Hashable {
    case transmit([UInt8], to: TransportAddress)
    case event(Event)
  }

  /// An event of the session.
  public enum Event: Sendable, Hashable {
    /// Media flows: for the first time, or again after `disconnected`.
    case connected
    /// Nothing was received for a while; the connection may recover.
    case disconnected
    /// The session failed permanently, except after a lost consent.
    case failed(PeerFailure)
    /// The far end closed the session.
    case closed
    /// The next whole frame of a received stream.
    case frame(mid: Mid, EncodedFrame)
    /// The far end needs a key frame of a sent stream, or of one layer of a simulcast.
    case keyFrameRequested(mid: Mid, rid: Rid?)
    /// The far end's report about a sent audio stream: the share of packets lost since the last one, 0…1.
    case lossReported(mid: Mid, share: Double)
    /// The target in bits per second for all sent streams together; reported when it changes by more than a twentieth.
    case targetBitrate(Int)
    /// Something happened to the data channels.
    case channel(DataChannelEvent)
  }

  private let peer: Peer
  private let configuration: Configuration
  /// The SSRC of reports and requests while no stream is sent.
  private let localSSRC = SSRC.random()
  private let outgoing: OutgoingMedia
  private let incoming = IncomingMedia()
  private var isConnected = false
  private var nextReport: Instant?
  private var pacerDeadline: Instant?
  private var outputs: [Output] = []
  private var outputHead = 0

  /// The interval in microseconds between two compound reports (RFC 3550 §6.2 allows it at video bitrates).
  static let reportInterval: Int64 = 1_000_000

  /// Creates a session.
  /// - Throws: if the configuration has no profile or invalid credentials.
  public init(_ configuration: Configuration) throws {
    self.configuration = configuration
    var association = Peer.Configuration(
      ice: configuration.ice, role: configuration.role, certificate: configuration.certificate,
      credentials: configuration.credentials, profiles: configuration.profiles)
    association.usesTCP = configuration.usesTCP
    peer = try Peer(association)
    outgoing = OutgoingMedia(configuration.bandwidth)
  }

  // MARK: Owner input

  /// Applies the far end's transport parameters; changed credentials are an ICE restart.
  public func setRemote(_ parameters: TransportParameters, now: Instant) {
    peer.setRemote(parameters, now: now)
    settle(now)
  }

  /// Reports that the owner has a new socket or route, so that the far end learns the new address.
  public func networkChanged(now: Instant) {
    peer.localAddressChanged(now: now)
    settle(now)
  }

  /// Reports that the TCP connection to this address has ended or failed to open.
  public func connectionClosed(_ address: TransportAddress, now: Instant) {
    peer.connectionClosed(address, now: now)
    settle(now)
  }

  /// Sets all streams to send: unchanged ones continue, others start or end. Streams without codec or SSRC are ignored.
  public func setSenders(_ parameters: [RTPParameters], now: Instant) {
    for ssrc in outgoing.replace(with: parameters) { peer.removeStream(ssrc: ssrc) }
    if isConnected { tellTarget() }
  }

  /// Sets all streams to receive: unchanged ones continue, others start or end.
  public func setReceivers(_ parameters: [RTPParameters], now: Instant) {
    for ssrc in incoming.replace(with: parameters) { peer.removeStream(ssrc: ssrc) }
  }

  /// Sets the bitrate in bits per second that all sent streams together could use; nil if it is unknown. The session looks for
  /// no more, and finds free capacity also while little is sent.
  public func setWanted(_ bitrate: Int?) { outgoing.setWanted(bitrate) }

  /// Sends a frame of the stream `mid`, or of its layer `rid`. Returns false if there is no such stream or the session is not
  /// connected.
  @discardableResult
  public func send(_ frame: EncodedFrame, mid: Mid, rid: Rid? = nil, level: AudioLevel? = nil, now: Instant) -> Bool {
    guard isConnected, outgoing.send(frame, SentStream(mid: mid, rid: rid), level: level, now: now) else { return false }
    settle(now)
    return true
  }

  /// Enables data channels, which both descriptions have. Repeated calls have no effect.
  public func enableChannels(_ remote: DataParameters, now: Instant) {
    peer.enableChannels(remote, now: now)
    settle(now)
  }

  /// Sends a message on a data channel.
  public func send(_ message: DataChannelMessage, on id: DataChannelID, now: Instant) throws(DataChannelError) {
    try peer.send(message, on: id, now: now)
    settle(now)
  }

  /// Requests a key frame of the received stream `mid` from the far end. Frequent requests are delayed.
  public func requestKeyFrame(mid: Mid, now: Instant) {
    incoming.receiver(mid)?.requestKeyFrame()
    settle(now)
  }

  /// Closes the session with a goodbye; take the remaining output from `nextOutput`.
  public func close(now: Instant) {
    if isConnected { sendGoodbye() }
    isConnected = false
    peer.close(now: now)
    takePeerOutput(now)
  }

  // MARK: Datagrams and time

  /// Processes a datagram from the socket, in place: its bytes must not be used afterwards.
  public func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant) {
    switch peer.receive(datagram, from: from, now: now) {
    case .rtp(let length):
      if let receiver = incoming.receive(UnsafeMutableRawBufferPointer(rebasing: datagram[..<length]), now: now) {
        takeFrames(receiver, now)
      }
    case .rtcp(let length): receiveRTCP(UnsafeRawBufferPointer(rebasing: datagram[..<length]), now)
    case .consumed, .dropped: break
    }
    settle(now)
  }

  /// Performs the actions that are due.
  public func advance(to now: Instant) {
    peer.advance(to: now)
    for receiver in incoming.receivers { takeFrames(receiver, now) }
    settle(now)
  }

  /// The time at which to call `advance`; nil if nothing is pending.
  public var deadline: Instant? {
    guard isConnected else { return peer.deadline }
    return [peer.deadline, nextReport, pacerDeadline, outgoing.silenceDeadline, incoming.deadline].lazy.compactMap { $0 }.min()
  }

  /// Returns the next action for the owner; nil if there is none.
  public func nextOutput() -> Output? {
    guard outputHead < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      outputHead = 0
      return nil
    }
    defer { outputHead += 1 }
    return outputs[outputHead]
  }

  /// Returns the statistics since the start.
  public func statistics() -> SessionStatistics {
    SessionStatistics(
      roundTripTime: outgoing.roundTrip ?? peer.roundTrip, targetBitrate: outgoing.estimator.target,
      loss: outgoing.estimator.loss, senders: outgoing.statistics,
      receivers: Dictionary(
        incoming.receivers.map { ($0.mid, $0.statistics) }, uniquingKeysWith: { first, _ in first }),
      drops: peer.drops, remoteAddress: peer.remoteAddress)
  }

  // MARK: Internals

  /// Performs the actions that new input may have made due.
  private func settle(_ now: Instant) {
    takePeerOutput(now)
    guard isConnected else { return }
    sendRequests(now)
    if let due = incoming.feedbackDeadline, now >= due { sendFeedback() }
    if let due = nextReport, now >= due { sendReports(now) }
    if let due = outgoing.silenceDeadline, now >= due {
      outgoing.endureSilence(now)
      tellTarget()
    }
    while let packet = outgoing.next(now) { send(packet, now) }
    pacerDeadline = outgoing.deadline(now)
  }

  private func takePeerOutput(_ now: Instant) {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, let address): outputs.append(.transmit(bytes, to: address))
      case .event(let event): take(event, now)
      }
    }
  }

  private func take(_ event: PeerEvent, _ now: Instant) {
    switch event {
    case .connected:
      isConnected = true
      // The first report is early, so that round trip and clocks are known soon.
      nextReport = now.advanced(microseconds: Self.reportInterval / 4)
      outputs.append(.event(.connected))
      tellTarget()
    case .reconnected: outputs.append(.event(.connected))
    case .disconnected: outputs.append(.event(.disconnected))
    case .failed(let reason):
      // A lost consent may recover with the same keys.
      if reason != .lostConsent { isConnected = false }
      outputs.append(.event(.failed(reason)))
    case .closed:
      isConnected = false
      outputs.append(.event(.closed))
    case .channel(let event): outputs.append(.event(.channel(event)))
    case .addressChanged: break
    }
  }

  private func takeFrames(_ receiver: MediaReceiver, _ now: Instant) {
    while let frame = receiver.nextFrame(now) { outputs.append(.event(.frame(mid: receiver.mid, frame))) }
  }

  private func tellTarget() {
    if let target = outgoing.takeTargetChange() { outputs.append(.event(.targetBitrate(target))) }
  }

  private func receiveRTCP(_ compound: UnsafeRawBufferPointer, _ now: Instant) {
    var reader = RTCPReader(compound)
    while let packet = reader.next() {
      switch packet {
      case .senderReport(let report):
        incoming.take(report.sender, now: now)
        for block in report.blocks { take(block, now) }
      case .receiverReport(let report):
        for block in report.blocks { take(block, now) }
      case .nack(let nack): outgoing.take(nack, now: now)
      case .pictureLoss(let request): wantKeyFrame(outgoing.keyFrameRequested(of: request.media))
      case .fullIntraRequest(let request):
        for entry in request { wantKeyFrame(outgoing.keyFrameRequested(of: entry.media, fir: entry)) }
      case .transportFeedback(let feedback): outgoing.take(feedback, now: now)
      case .bitrateEstimate(let estimate): outgoing.limit(to: estimate.bitrate)
      case .sourceDescription, .goodbye, .unknown, .malformed: break
      }
    }
    tellTarget()
  }

  private func take(_ block: ReportBlock, _ now: Instant) {
    guard let sender = outgoing.take(block, now: now), sender.kind == .audio else { return }
    outputs.append(.event(.lossReported(mid: sender.mid, share: Double(block.fractionLost) / 256)))
  }

  private func wantKeyFrame(_ stream: SentStream?) {
    if let stream { outputs.append(.event(.keyFrameRequested(mid: stream.mid, rid: stream.rid))) }
  }

  private func send(_ packet: OutgoingPacket, _ now: Instant) {
    guard let address = peer.remoteAddress else { return }
    var bytes = packet.bytes
    guard let length = bytes.withUnsafeMutableBytes({ peer.protectRTP($0, length: packet.length) }) else { return }
    bytes.removeLast(max(0, bytes.count - length))
    outgoing.didSend(packet, size: length, now: now)
    outputs.append(.transmit(bytes, to: address))
  }

  private func sendRTCP(_ body: (inout RTCPWriter) -> Void) {
    let compound = RTCPWriter.compound(body)
    guard let address = peer.remoteAddress, !compound.isEmpty else { return }
    var bytes = compound + [UInt8](repeating: 0, count: OutgoingPacket.tagRoom)
    guard let length = bytes.withUnsafeMutableBytes({ peer.protectRTCP($0, length: compound.count) }) else { return }
    bytes.removeLast(max(0, bytes.count - length))
    outputs.append(.transmit(bytes, to: address))
  }

  /// The SSRC that sends receiver RTCP: that of a sent stream, if there is one.
  private var reporter: SSRC { outgoing.senders.values.map(\.ssrc).min() ?? localSSRC }

  private func sendReports(_ now: Instant) {
    nextReport = now.advanced(microseconds: Self.reportInterval)
    var reports = outgoing.senders.values.compactMap { $0.report(now: now) }
    var blocks = incoming.receivers.compactMap { $0.reportBlock(now: now) }
    // A compound contains one sender report and thirty blocks; many streams need several compounds.
    repeat {
      let report = reports.popLast()
      sendRTCP { writer in
        let ssrc = report?.ssrc ?? reporter
        if let report { writer.senderReport(report) } else { writer.receiverReport(ssrc: ssrc) }
        for _ in 0..<30 {
          guard let block = blocks.popLast() else { break }
          writer.append(block)
        }
        writer.sourceDescription(ssrc: ssrc, canonicalName: configuration.cname)
      }
    } while !blocks.isEmpty || !reports.isEmpty
  }

  private func sendFeedback() {
    let ssrc = reporter
    // Feedback that does not fit goes into the next packet; a burst needs only a handful.
    for _ in 0..<8 {
      var isWritten = false
      sendRTCP { isWritten = incoming.writeFeedback(to: &$0, sender: ssrc) }
      if !isWritten { break }
    }
  }

  /// Sends the NACKs and PLIs that are due in one reduced-size compound (RFC 5506).
  private func sendRequests(_ now: Instant) {
    guard incoming.receivers.contains(where: { $0.wantsRequest(now) }) else { return }
    let roundTrip = outgoing.roundTrip ?? peer.roundTrip ?? 0
    sendRTCP { writer in
      for receiver in incoming.receivers {
        receiver.writeRequests(to: &writer, sender: reporter, roundTrip: roundTrip, now: now)
      }
    }
  }

  private func sendGoodbye() {
    let sources = outgoing.senders.values.map(\.ssrc)
    guard !sources.isEmpty else { return }
    sendRTCP { writer in
      writer.receiverReport(ssrc: reporter)
      for ssrc in sources { writer.goodbye(ssrc: ssrc) }
    }
  }
}
