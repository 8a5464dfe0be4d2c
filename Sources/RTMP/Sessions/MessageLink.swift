import RoomRTP

/// The common part of both sessions after the handshake: messages in and out, acknowledgements, pings.
struct MessageLink: Sendable {
  /// Maximum bytes of untaken output.
  let outputLimit: Int
  private var reader: ChunkReader
  private(set) var writer = ChunkWriter()
  /// The bytes to send.
  var output: [UInt8] = []

  /// The number of bytes after which the peer wants an acknowledgement.
  private var window: UInt32?
  private var acknowledged: UInt64 = 0
  /// The peer's last acknowledgement: bytes modulo 2³².
  private(set) var peerAcknowledged: UInt32 = 0

  private var lastReceived: Instant
  private var pingSent: Instant?

  init(limits: ChunkReader.Limits, outputLimit: Int, now: Instant) {
    self.outputLimit = outputLimit
    reader = ChunkReader(limits: limits)
    lastReceived = now
  }

  var bytesReceived: UInt64 { reader.bytesRead }

  /// Limits on the memory that the peer may use.
  var limits: ChunkReader.Limits {
    get { reader.limits }
    set { reader.limits = newValue }
  }

  // MARK: In

  mutating func received(now: Instant) {
    lastReceived = now
    pingSent = nil
  }

  /// Returns the next message that does not concern the connection itself.
  mutating func read(_ bytes: inout UnsafeRawBufferPointer) throws(SessionFailure) -> RTMPMessage? {
    while true {
      let next: RTMPMessage?
      do throws(ChunkError) { next = try reader.read(&bytes) } catch { throw .chunks(error) }
      guard let message = next, let control = ControlMessage(message) else { return next }
      if case .user(.streamEnd) = control { return message }
      apply(control)
      guard output.count <= outputLimit else { throw .outputLimitExceeded }
    }
  }

  private mutating func apply(_ control: ControlMessage) {
    switch control {
    case .acknowledgement(let count): peerAcknowledged = count
    case .windowAcknowledgementSize(let size): window = size > 0 ? size : nil
    case .setPeerBandwidth(let size, _):
      // Answered with the window that the peer requested (§5.4.5). Output is never faster than real time, so the limit does not
      // matter.
      if size != sentWindow { announceWindow(size) }
    case .user(.pingRequest(let time)): send(.user(.pingResponse(time)))
    default: break
    }
  }

  private var sentWindow: UInt32?

  mutating func announceWindow(_ size: UInt32) {
    sentWindow = size
    send(.windowAcknowledgementSize(size))
  }

  /// Acknowledges received bytes once they fill the window (§5.4.3). Call it once for all bytes of one read.
  mutating func acknowledge() {
    guard let window, reader.bytesRead &- acknowledged >= UInt64(window) else { return }
    acknowledged = reader.bytesRead
    send(.acknowledgement(UInt32(truncatingIfNeeded: reader.bytesRead)))
  }

  // MARK: Out

  mutating func setChunkSize(_ size: Int) { writer.setChunkSize(size, into: &output) }

  mutating func send(_ control: ControlMessage) { writer.write(control.message, on: .control, into: &output) }

  mutating func send(_ command: Command, on stream: MessageStreamID = .connection) {
    // Commands of a stream use its data channel, as in Adobe's own servers.
    writer.write(command.message(on: stream), on: stream == .connection ? .command : .data, into: &output)
  }

  mutating func send(_ status: Status, on stream: MessageStreamID) {
    send(Command("onStatus", arguments: [status.value]), on: stream)
  }

  mutating func send(_ media: MediaMessage, on stream: MessageStreamID) {
    media.payload.withUnsafeBytes { payload in
      writer.write(
        payload, type: media.kind.messageType, stream: stream, timestamp: media.timestamp, on: media.kind.channel, into: &output
      )
    }
  }

  /// Returns whether the prepared chunks can be sent unchanged after `output`.
  mutating func admits(_ prepared: PreparedMedia, on stream: MessageStreamID) -> Bool {
    guard prepared.chunkSize == writer.chunkSize, prepared.stream == stream else { return false }
    writer.wroteElsewhere(on: prepared.media.kind.channel)
    return true
  }

  /// Returns the same for chunks prepared elsewhere.
  mutating func admitsPrepared(_ kind: MediaMessage.Kind, chunkSize: Int) -> Bool {
    guard chunkSize == writer.chunkSize else { return false }
    writer.wroteElsewhere(on: kind.channel)
    return true
  }

  // MARK: Time

  /// Returns the time at which the peer must be pinged, or has not answered a ping.
  func silenceDeadline(_ timeouts: SessionTimeouts) -> Instant {
    pingSent?.advanced(microseconds: timeouts.pingAnswer) ?? lastReceived.advanced(microseconds: timeouts.silence)
  }

  /// Pings a silent peer. Returns false if it was already pinged and is still silent.
  mutating func isAlive(now: Instant, _ timeouts: SessionTimeouts) -> Bool {
    guard now >= silenceDeadline(timeouts) else { return true }
    guard pingSent == nil else { return false }
    pingSent = now
    send(.user(.pingRequest(now.rtmpMilliseconds)))
    return true
  }

  mutating func takeOutput() -> [UInt8] {
    let taken = output
    output = []
    return taken
  }
}

extension Instant {
  /// Milliseconds modulo 2³², as in RTMP.
  var rtmpMilliseconds: UInt32 { UInt32(truncatingIfNeeded: microseconds / 1000) }
}
