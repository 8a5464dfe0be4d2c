import RoomRTMP
import RoomRTP

/// One connection to a live stream's server, over RTMP or HTTP-FLV. The session has no socket and no clock.
///
/// After each call, send ``takeOutput()`` and call ``nextEvent()`` until it returns nil.
struct StreamSession: Sendable {
  enum Event: Sendable, Hashable {
    case media(MediaMessage)
    /// The stream has ended at its source. The session is over.
    case ended
    /// The stream is at another URL. The session is over.
    case redirected(to: String)
    case failed(StreamFailure)
  }

  private enum Wire: Sendable {
    case rtmp(ClientSession)
    /// Whether the response says where its body ends, so that the end of the connection is distinct from it.
    case flv(FLVDemuxer, isDelimited: Bool)
  }

  /// The largest message, in bytes. A key frame of 1080p at 5 Mbit/s is about a tenth.
  private static let longestMessage = 4 << 20
  /// The codecs that are decoded beyond H.264 and AAC.
  private static let fourCCs = ["hvc1", "av01", "vp09", "vp08", "Opus"]

  private var wire: Wire
  private var events: [Event] = []
  private var next = 0
  private var isOver = false

  init(_ address: StreamAddress, now: Instant) {
    switch address {
    case .rtmp(let address):
      var options = ClientSession.Options(fourCCs: Self.fourCCs)
      options.limits.messageLength = Self.longestMessage
      wire = .rtmp(ClientSession(.play, address, options: options, now: now))
    case .flv: wire = .flv(FLVDemuxer(longestTag: Self.longestMessage), isDelimited: false)
    }
  }

  mutating func takeOutput() -> [UInt8] {
    guard case .rtmp(var session) = wire else { return [] }
    defer { wire = .rtmp(session) }
    return session.takeOutput()
  }

  mutating func nextEvent() -> Event? {
    guard next < events.count else {
      events.removeAll(keepingCapacity: true)
      next = 0
      return nil
    }
    defer { next += 1 }
    return events[next]
  }

  /// Processes the head of an HTTP response.
  mutating func respond(status: Int, location: String?, isDelimited: Bool) {
    guard case .flv(let demuxer, _) = wire else { return }
    switch status {
    case 200: wire = .flv(demuxer, isDelimited: isDelimited)
    case 301, 302, 303, 307, 308:
      finish(location.map { .redirected(to: $0) } ?? .failed(.refused("HTTP \(status) without a location")))
    case 401, 403: finish(.failed(.forbidden("HTTP \(status)")))
    case 404, 410: finish(.failed(.notFound("HTTP \(status)")))
    default: finish(.failed(.refused("HTTP \(status)")))
    }
  }

  /// Processes bytes of the RTMP connection, or of the HTTP response's body.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    guard !isOver else { return }
    switch wire {
    case .rtmp(var session):
      // The copy in the enum is replaced first, so that this one is not shared.
      wire = .flv(FLVDemuxer(), isDelimited: false)
      session.receive(bytes, now: now)
      while let event = session.nextEvent() { take(event) }
      wire = .rtmp(session)
    case .flv(var demuxer, let isDelimited):
      wire = .flv(FLVDemuxer(), isDelimited: isDelimited)
      var rest = bytes
      do throws(FLVError) {
        while let message = try demuxer.read(&rest) { events.append(.media(message)) }
      } catch { finish(.failed(.unreadable("\(error)"))) }
      wire = .flv(demuxer, isDelimited: isDelimited)
    }
  }

  /// Reports the end of the HTTP response, or of the connection.
  mutating func end() {
    if case .flv(_, isDelimited: true) = wire { return finish(.ended) }
    finish(.failed(.connectionLost("closed by the server")))
  }

  private mutating func take(_ event: ClientEvent) {
    switch event {
    case .media(let message): events.append(.media(message))
    case .ended: finish(.ended)
    case .reconnectRequested: finish(.failed(.connectionLost("the server asks for a new connection")))
    case .closed(let failure): finish(.failed(StreamFailure(failure)))
    case .connected, .started, .status: break
    }
  }

  private mutating func finish(_ event: Event) {
    guard !isOver else { return }
    isOver = true
    events.append(event)
  }
}

extension StreamFailure {
  init(_ failure: SessionFailure) {
    switch failure {
    case .handshake, .chunks, .command, .unexpectedCommand, .queueLimitExceeded, .outputLimitExceeded:
      self = .unreadable("\(failure)")
    case .rejected(let status, _):
      let answer = status.description.isEmpty ? status.code.rawValue : "\(status.code.rawValue), \(status.description)"
      self = status.code == .playStreamNotFound ? .notFound(answer) : .refused(answer)
    case .timeout: self = .timedOut
    case .closedByPeer, .ended: self = .connectionLost("closed by the server")
    }
  }
}
