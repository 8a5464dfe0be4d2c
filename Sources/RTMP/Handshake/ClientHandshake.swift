/// The client's part of the handshake (RTMP 1.0 §5.2): C0 and C1, then C2 once S1 has arrived.
///
/// A wrong S2 is recorded but not an error: many servers send something else, and librtmp and ffmpeg continue too.
struct ClientHandshake: Sendable {
  private enum State {
    case version, challenge, answer, done
  }

  private var state = State.version
  private var input = HandshakeInput()
  private let challenge: [UInt8]
  /// The digest of C1, if it has one.
  private let digest: [UInt8]?
  /// Whether S1 had a digest.
  private(set) var serverHasDigest = false
  /// Whether S2 answers C1, as an echo or with its digest; valid at the end of the handshake.
  private(set) var isAnswered = false

  var isDone: Bool { state == .done }

  /// Appends C0 and C1 to `output`. The time is in milliseconds.
  init(withDigest: Bool, time: UInt32, into output: inout [UInt8], using generator: inout some RandomNumberGenerator) {
    // A version of Flash Player whose digests servers check.
    var packet = handshakePacket(time: time, version: withDigest ? 0x0900_7c02 : 0, using: &generator)
    if withDigest { HandshakeDigest.sign(&packet, from: .client, .digestFirst) }
    challenge = packet
    digest = withDigest ? HandshakeDigest.find(in: packet, from: .client)?.digest : nil
    output.append(3)
    output += packet
  }

  /// Consumes the handshake from the front of `bytes`, and appends the answer to `output`.
  mutating func receive(
    _ bytes: inout UnsafeRawBufferPointer, into output: inout [UInt8], using generator: inout some RandomNumberGenerator
  ) throws(HandshakeError) {
    while true {
      switch state {
      case .version:
        guard let version = input.collect(1, from: &bytes) else { return }
        guard version == [3] else { throw .version(version[0]) }
        state = .challenge
      case .challenge:
        guard let packet = input.collect(HandshakeDigest.packetLength, from: &bytes) else { return }
        if digest != nil, let found = HandshakeDigest.find(in: packet, from: .server) {
          serverHasDigest = true
          var answer = handshakePacket(time: 0, version: 0, using: &generator)
          HandshakeDigest.signAnswer(&answer, from: .client, to: found.digest)
          output += answer
        } else {
          output += packet
        }
        state = .answer
      case .answer:
        guard let answer = input.collect(HandshakeDigest.packetLength, from: &bytes) else { return }
        isAnswered =
          answer[8...] == challenge[8...]
          || digest.map { HandshakeDigest.isAnswer(answer, from: .server, to: $0) } ?? false
        state = .done
      case .done: return
      }
    }
  }
}
