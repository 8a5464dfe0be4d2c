import RoomRTMP
import RoomRTP

/// Plays over RTMP with a complete ``ClientSession`` until the first picture. Afterwards only the chunk headers are scanned,
/// and only messages that require a response are answered. A sampled viewer keeps its session.
struct RTMPPlayer: StreamPlayer {
  private var session: ClientSession?
  private var scanner = ChunkScanner()
  /// Remaining bytes of the server's handshake (RTMP 1.0 §5.2).
  private var handshake = 1 + 1536 + 1536
  private var output: [UInt8] = []
  private var link = MessageAnswers()

  init(_ address: RTMPAddress, now: Instant) { session = ClientSession(.play, address, now: now) }

  mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output + (session?.takeOutput() ?? [])
  }

  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Instant, into reception: inout ViewerReception, sample: (any MediaObserver)?
  ) throws(ChunkScanner.Failure) {
    if session != nil { try converse(bytes, now: now, sample: sample) }
    let skipped = min(handshake, bytes.count)
    handshake -= skipped
    let answers = session == nil
    try scanner.scan(UnsafeRawBufferPointer(rebasing: bytes[skipped...])) { message, payload in
      reception.count(message, now: now)
      if message.type.rawValue <= MessageType.setPeerBandwidth.rawValue {
        link.take(RTMPMessage(type: message.type, payload: payload), answers: answers, into: &output)
      }
    }
    if answers { link.acknowledge(scanner.bytesRead, into: &output) }
    if sample == nil, reception.firstPicture != nil { session = nil }
  }

  private mutating func converse(
    _ bytes: UnsafeRawBufferPointer, now: Instant, sample: (any MediaObserver)?
  ) throws(ChunkScanner.Failure) {
    session?.receive(bytes, now: now)
    while let event = session?.nextEvent() {
      switch event {
      case .media(let media): sample?.look(at: media, now: now)
      case .closed(let failure): throw ChunkScanner.Failure(reason: "\(failure)")
      case .ended: throw ChunkScanner.Failure(reason: "the stream has ended")
      case .connected, .started, .status, .reconnectRequested: break
      }
    }
  }
}

/// The responses that a server requires from a viewer: acknowledgements and ping responses.
struct MessageAnswers {
  private var window: UInt64?
  private var acknowledged: UInt64 = 0

  /// - Parameter answers: false if another object answers; then only settings needed later are stored.
  mutating func take(_ message: RTMPMessage, answers: Bool, into output: inout [UInt8]) {
    switch ControlMessage(message) {
    case .windowAcknowledgementSize(let size): window = size > 0 ? UInt64(size) : nil
    case .user(.pingRequest(let time)) where answers: send(.user(.pingResponse(time)), into: &output)
    default: break
    }
  }

  /// Acknowledges if a window of bytes has been received since the last acknowledgement (§5.4.3).
  mutating func acknowledge(_ bytes: UInt64, into output: inout [UInt8]) {
    guard let window, bytes - acknowledged >= window else { return }
    acknowledged = bytes
    send(.acknowledgement(UInt32(truncatingIfNeeded: bytes)), into: &output)
  }

  private func send(_ control: ControlMessage, into output: inout [UInt8]) {
    // Uses a complete header, so that what was sent before does not matter.
    var writer = ChunkWriter()
    writer.write(control.message, on: .control, into: &output)
  }
}
