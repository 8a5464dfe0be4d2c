import RoomRTP
import RoomClient
import RoomWebRTC

/// One connection that sends audio, receives it, or both: a complete client except for microphone and loudspeaker.
final class VoiceBot: LoopBot {
  let socket: UDPSocket
  private(set) var deadline: Instant?
  let isInHaste = true
  private let session: MediaSession
  /// The packets to send; nil for a bot that only receives.
  private let voice: [[UInt8]]?
  private var mixDecoder: MixDecoder?
  private let outcome: JoinOutcome
  private var mid: Mid?
  private var due: Instant?
  private var packet = 0
  private var timestamp = UInt32.random(in: .min ... .max)

  /// - Parameter outcome: completed by the first packet that is received, or by the connection for a bot that only sends.
  init(session: MediaSession, socket: UDPSocket, voice: [[UInt8]]?, mixDecoder: MixDecoder?, outcome: JoinOutcome) {
    self.session = session
    self.socket = socket
    self.voice = voice
    self.mixDecoder = mixDecoder
    self.outcome = outcome
  }

  /// What has been received so far; nil for a bot that only sends.
  var report: MixDecoder.Report? { mixDecoder?.now }

  func setSenders(_ senders: [RTPParameters], now: Instant) {
    mid = senders.first { $0.kind == .audio }?.mid
    session.setSenders(senders, now: now)
    drain(now)
  }

  func setReceivers(_ receivers: [RTPParameters], now: Instant) {
    session.setReceivers(receivers, now: now)
    drain(now)
  }

  func setRemote(_ remote: TransportParameters, now: Instant) {
    session.setRemote(remote, now: now)
    drain(now)
  }

  func receive(_ datagram: UnsafeMutableRawBufferPointer, from: TransportAddress, now: Instant) {
    session.receive(datagram, from: from, now: now)
    drain(now)
  }

  func advance(to now: Instant) {
    session.advance(to: now)
    if let voice, let mid, let due, due <= now {
      let frame = EncodedFrame(data: voice[packet], timestamp: timestamp, isKeyFrame: true)
      session.send(frame, mid: mid, level: AudioLevel(level: 20, voice: true), now: now)
      packet = (packet + 1) % voice.count
      timestamp &+= SpokenTones.ticks
      self.due = due.advanced(microseconds: SpokenTones.interval)
    }
    drain(now)
  }

  func close(now: Instant) {
    session.close(now: now)
    drain(now)
  }

  private func drain(_ now: Instant) {
    while let output = session.nextOutput() {
      switch output {
      case .transmit(let bytes, let address): socket.send(bytes, to: address)
      case .event(.connected):
        // A random offset, so that speakers are not synchronised.
        due = due ?? now.advanced(microseconds: Int64.random(in: 0..<SpokenTones.interval))
        if mixDecoder == nil { outcome.mediaCame(.audio, at: now) }
      case .event(.frame(_, let frame)):
        mixDecoder?.hear(frame, now: now)
        outcome.mediaCame(.audio, at: now)
      case .event(.failed(let reason)): outcome.failed("\(reason)")
      case .event(.closed): outcome.failed("closed by the server")
      case .event: break
      }
    }
    deadline = [session.deadline, mid == nil ? nil : due].lazy.compactMap { $0 }.min()
  }
}
