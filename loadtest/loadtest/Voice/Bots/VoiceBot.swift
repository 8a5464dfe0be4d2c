import RTP
import RoomClient
import WebRTC

/// One connection of somebody who speaks, hears, or both: a whole client but for the microphone and the loudspeaker.
final class VoiceBot: LoopBot {
  let socket: UDPSocket
  private(set) var deadline: Instant?
  let isInHaste = true
  private let session: MediaSession
  /// What it says; nil for one that only hears.
  private let voice: [[UInt8]]?
  private var ear: Ear?
  private let outcome: JoinOutcome
  private var mid: Mid?
  private var due: Instant?
  private var packet = 0
  private var timestamp = UInt32.random(in: .min ... .max)

  /// - Parameter outcome: told of the first packet that is heard, or of the connection for one that only speaks.
  init(session: MediaSession, socket: UDPSocket, voice: [[UInt8]]?, ear: Ear?, outcome: JoinOutcome) {
    self.session = session
    self.socket = socket
    self.voice = voice
    self.ear = ear
    self.outcome = outcome
  }

  /// What was heard so far; nil for one that only speaks.
  var report: Ear.Report? { ear?.now }

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
        // Speakers are not in step with one another.
        due = due ?? now.advanced(microseconds: Int64.random(in: 0..<SpokenTones.interval))
        if ear == nil { outcome.mediaCame(.audio, at: now) }
      case .event(.frame(_, let frame)):
        ear?.hear(frame, now: now)
        outcome.mediaCame(.audio, at: now)
      case .event(.failed(let reason)): outcome.failed("\(reason)")
      case .event(.closed): outcome.failed("closed by the server")
      case .event: break
      }
    }
    deadline = [session.deadline, mid == nil ? nil : due].lazy.compactMap { $0 }.min()
  }
}
