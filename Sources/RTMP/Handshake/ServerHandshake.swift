/// The server's part of the handshake (RTMP 1.0 §5.2): answers C0 and C1 with S0, S1 and S2, in the client's form.
///
/// The server waits for C2 but does not check it, like every server, because some clients send random bytes.
struct ServerHandshake: Sendable {
  private enum State {
    case version, challenge, answer, done
  }

  private var state = State.version
  private var input = HandshakeInput()
  /// Whether the client's C1 had a digest; valid after it was answered.
  private(set) var hasDigest = false

  var isDone: Bool { state == .done }

  /// Consumes the handshake from the front of `bytes`, and appends the answer to `output`. The time is in milliseconds.
  mutating func receive(
    _ bytes: inout UnsafeRawBufferPointer, time: UInt32, into output: inout [UInt8],
    using generator: inout some RandomNumberGenerator
  ) throws(HandshakeError) {
    while true {
      switch state {
      case .version:
        guard let version = input.collect(1, from: &bytes) else { return }
        guard version == [3] else { throw .version(version[0]) }
        state = .challenge
      case .challenge:
        guard let challenge = input.collect(HandshakeDigest.packetLength, from: &bytes) else { return }
        answer(challenge, time: time, into: &output, using: &generator)
        state = .answer
      case .answer:
        guard input.collect(HandshakeDigest.packetLength, from: &bytes) != nil else { return }
        state = .done
      case .done: return
      }
    }
  }

  private mutating func answer(
    _ challenge: [UInt8], time: UInt32, into output: inout [UInt8], using generator: inout some RandomNumberGenerator
  ) {
    output.append(3)
    // Version 0 is the handshake of the specification.
    let isPlain = challenge[4..<8].allSatisfy { $0 == 0 }
    guard !isPlain, let found = HandshakeDigest.find(in: challenge, from: .client) else {
      output += handshakePacket(time: time, version: 0, using: &generator)
      output += challenge
      return
    }
    hasDigest = true
    var packet = handshakePacket(time: time, version: 0x0405_0001, using: &generator)
    HandshakeDigest.sign(&packet, from: .server, found.scheme)
    output += packet
    var answer = handshakePacket(time: time, version: 0, using: &generator)
    HandshakeDigest.signAnswer(&answer, from: .server, to: found.digest)
    output += answer
  }
}
