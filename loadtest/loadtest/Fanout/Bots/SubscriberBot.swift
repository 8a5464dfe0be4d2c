import RoomRTP
import RoomClient
import RoomWebRTC

/// A subscriber with complete ICE and DTLS that counts media by its headers alone. It decrypts one packet in `sampleInterval`
/// of each stream to verify that the counted packets are authentic.
///
/// It sends a report once a second as RFC 3550 requires. It never requests retransmissions, so that a loss remains visible.
final class SubscriberBot: LoopBot {
  static let sampleInterval = 128
  private static let reportInterval: Int64 = 1_000_000
  private static let streamLimit = 64

  private struct Stream {
    let ssrc: SSRC
    var count = StreamCount()
    var statistics: ReceiveStatistics
    var lastPacket: Instant
    /// Whether one of its packets was decrypted.
    var isProven = false
    /// For video, the timestamp of the last picture.
    var picture: UInt32?
    var transit = StreamTransit()
  }

  /// What was received since the last call.
  struct Slice: Sendable {
    var received = 0
    var lost = 0
    /// Number of pictures of which a packet arrived.
    var pictures = 0
    /// Longest gap in the audio in microseconds, for a bot with a single audio track.
    var gap: Int64 = 0
  }

  private enum Payload { case media(RTPParameters.Kind, clockRate: UInt32, transportSequence: UInt8), repair }

  let socket: UDPSocket
  private(set) var deadline: Instant?
  private let peer: Peer
  private let ssrc = SSRC.random()
  private let outcome: JoinOutcome
  private var payloads: [UInt8: Payload] = [:]
  private var streams: [Stream] = []
  private var total = PacketCounts()
  private var nextReport: Instant?
  private let feedbackInterval: Int64
  private var feedback = TransportFeedbackRecorder()
  private var sound = SoundTimeline()
  /// The stream that `sound` follows.
  private var soundStream: SSRC?
  private var pictures = 0
  private var lastReported = Slice()
  private var nextFeedback: Instant?

  /// - Parameter feedbackInterval: microseconds between transport-wide feedback packets, if the server negotiates them; 0 sends
  ///   none.
  init(peer: Peer, socket: UDPSocket, outcome: JoinOutcome, feedbackInterval: Int64) {
    self.peer = peer
    self.socket = socket
    self.outcome = outcome
    self.feedbackInterval = feedbackInterval
  }

  var isInHaste: Bool { outcome.isWaiting }

  /// Returns what was received so far.
  func counts(now: Instant) -> PacketCounts {
    var counts = total
    for stream in streams {
      counts.received += stream.count.received
      counts.lost += stream.count.lost
      counts.duplicates += stream.count.duplicates
      if now - stream.lastPacket < 1_000_000 { counts.liveStreams += 1 }
    }
    return counts
  }

  /// Returns what was received since the last call.
  func takeSlice(now: Instant) -> Slice {
    let received = streams.reduce(0) { $0 + $1.count.received }
    let lost = streams.reduce(0) { $0 + $1.count.lost }
    defer { lastReported = Slice(received: received, lost: lost, pictures: pictures) }
    return Slice(
      received: received - lastReported.received, lost: lost - lastReported.lost, pictures: pictures - lastReported.pictures,
      gap: sound.takeLongest(at: now))
  }

  // MARK: from signalling

  func setRemote(_ remote: TransportParameters, now: Instant) {
    peer.setRemote(remote, now: now)
    drain(now)
  }

  /// Sets the streams that the server sends from now on.
  func setMedia(_ media: [RTPParameters]) {
    payloads = [:]
    for parameters in media {
      for codec in parameters.codecs {
        let media = Payload.media(
          parameters.kind, clockRate: codec.clockRate, transportSequence: parameters.headerExtensions[.transportSequence] ?? 0)
        payloads[codec.payloadType] = media
        if let red = codec.redPayloadType { payloads[red] = media }
        if let rtx = codec.rtxPayloadType { payloads[rtx] = .repair }
      }
    }
  }

  // MARK: from the loop

  func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant) {
    switch DatagramKind.classify(UnsafeRawBufferPointer(datagram)) {
    case .rtp: receiveMedia(datagram, from: from, now: now)
    case .rtcp:
      if case .rtcp(let length) = peer.receive(datagram, from: from, now: now) {
        receiveReports(UnsafeRawBufferPointer(rebasing: datagram[..<length]), now)
      }
    case .stun, .dtls, .unknown:
      _ = peer.receive(datagram, from: from, now: now)
      drain(now)
    }
  }

  func advance(to now: Instant) {
    peer.advance(to: now)
    if let due = nextReport, due <= now { report(now) }
    if let due = nextFeedback, due <= now { sendFeedback(now) }
    drain(now)
  }

  func close(now: Instant) {
    peer.close(now: now)
    drain(now)
  }

  // MARK: inside

  private func receiveMedia(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant) {
    guard let header = Self.header(of: datagram), let payload = payloads[header.payloadType] else { return }
    guard case .media(let kind, let clockRate, let transportSequence) = payload else {
      total.repairs += 1
      return
    }
    guard let index = index(of: header.ssrc, clockRate: clockRate, now: now) else { return }
    total.bytes += datagram.count
    if kind == .audio, now - streams[index].lastPacket > StreamPause.limit { total.pauses += 1 }
    streams[index].lastPacket = now
    follow(header, kind, stream: index, now)
    total.delays.add(streams[index].transit.delay(header.timestamp, clockRate: clockRate, arrival: now))
    let isNew = streams[index].count.count(header.sequenceNumber)
    streams[index].statistics.receive(
      sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, payloadLength: header.payloadLength, now: now)
    if feedbackInterval > 0, transportSequence > 0 { record(datagram, header, transportSequence, now) }
    if isNew, !streams[index].isProven || streams[index].count.received % Self.sampleInterval == 0 {
      prove(datagram, from: from, stream: index, kind: kind, now: now)
    }
  }

  private func follow(_ header: RTPHeader, _ kind: RTPParameters.Kind, stream: Int, _ now: Instant) {
    switch kind {
    case .audio:
      if soundStream != header.ssrc {
        soundStream = header.ssrc
        sound.changeStream()
      }
      sound.take(header.timestamp, at: now)
    case .video where streams[stream].picture != header.timestamp:
      streams[stream].picture = header.timestamp
      pictures += 1
    case .video: break
    }
  }

  /// Parses the header, which is not encrypted. The padding length is encrypted, so the padding bit is ignored.
  private static func header(of datagram: UnsafeMutableRawBufferPointer) -> RTPHeader? {
    guard let first = datagram.first else { return nil }
    datagram[0] = first & 0xDF
    defer { datagram[0] = first }
    return RTPHeader(parsing: UnsafeRawBufferPointer(datagram))
  }

  /// Decrypts a packet in place, which destroys it.
  private func prove(
    _ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, stream: Int, kind: RTPParameters.Kind, now: Instant
  ) {
    switch peer.receive(datagram, from: from, now: now) {
    case .rtp:
      total.sampled += 1
      guard !streams[stream].isProven else { return }
      streams[stream].isProven = true
      outcome.mediaCame(kind, at: now)
    // Media may arrive before the end of the handshake.
    case .dropped(.notReady): break
    default:
      total.sampled += 1
      total.unauthentic += 1
    }
  }

  private func index(of ssrc: SSRC, clockRate: UInt32, now: Instant) -> Int? {
    if let known = streams.firstIndex(where: { $0.ssrc == ssrc }) { return known }
    guard streams.count < Self.streamLimit else { return nil }
    streams.append(Stream(ssrc: ssrc, statistics: ReceiveStatistics(clockRate: clockRate), lastPacket: now))
    return streams.count - 1
  }

  private func record(_ datagram: UnsafeMutableRawBufferPointer, _ header: RTPHeader, _ id: UInt8, _ now: Instant) {
    let extensions = RTPExtensions(packet: UnsafeRawBufferPointer(datagram), header: header)
    guard let number = extensions.transportSequence(of: id) else { return }
    feedback.record(number, arrival: now)
    guard nextFeedback == nil else { return }
    nextFeedback = now.advanced(microseconds: feedbackInterval)
    renewDeadline()
  }

  private func receiveReports(_ compound: UnsafeRawBufferPointer, _ now: Instant) {
    var reader = RTCPReader(compound)
    while let packet = reader.next() {
      guard case .senderReport(let report) = packet,
        let index = streams.firstIndex(where: { $0.ssrc == report.sender.ssrc })
      else { continue }
      streams[index].statistics.receive(report.sender, now: now)
    }
  }

  private func report(_ now: Instant) {
    nextReport = now.advanced(microseconds: Self.reportInterval)
    send { writer in
      writer.receiverReport(ssrc: ssrc)
      for index in streams.indices.prefix(31) {
        writer.append(streams[index].statistics.reportBlock(ssrc: streams[index].ssrc, now: now))
      }
      writer.sourceDescription(ssrc: ssrc, canonicalName: "bot")
    }
  }

  private func sendFeedback(_ now: Instant) {
    nextFeedback = nil
    guard feedback.pendingCount > 0 else { return }
    let media = streams.first?.ssrc ?? 0
    send { _ = feedback.writeFeedback(to: &$0, sender: ssrc, media: media) }
  }

  private func send(_ body: (inout RTCPWriter) -> Void) {
    var bytes = RTCPWriter.compound(body)
    let length = bytes.count
    guard let address = peer.remoteAddress, length > 0 else { return }
    bytes += [UInt8](repeating: 0, count: 32)
    guard let sealed = bytes.withUnsafeMutableBytes({ peer.protectRTCP($0, length: length) }) else { return }
    bytes.removeLast(bytes.count - sealed)
    socket.send(bytes, to: address)
  }

  private func drain(_ now: Instant) {
    while let output = peer.nextOutput() {
      switch output {
      case .transmit(let bytes, let address): socket.send(bytes, to: address)
      case .event(.connected):
        // A random offset within the second, as with clients that joined one by one.
        nextReport = now.advanced(microseconds: Int64.random(in: 100_000...Self.reportInterval))
      case .event(.failed(let reason)): outcome.failed("\(reason)")
      case .event(.closed): outcome.failed("closed by the server")
      case .event(.disconnected), .event(.reconnected), .event(.addressChanged), .event(.channel): break
      }
    }
    renewDeadline()
  }

  private func renewDeadline() {
    deadline = [peer.deadline, nextReport, nextFeedback].lazy.compactMap { $0 }.min()
  }
}
