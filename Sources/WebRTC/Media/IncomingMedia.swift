import RTP

/// The receiving half of a media session: finds each packet's stream, undoes RTX, records arrivals for the far end.
final class IncomingMedia {
  /// SSRCs that may be learnt from mid extensions; what was described does not count.
  private static let learntLimit = 256
  /// Between two transport-wide feedbacks while media arrives, microseconds.
  static let feedbackInterval: Int64 = 50_000

  private(set) var receivers: [MediaReceiver] = []
  private var byMid: [Mid: MediaReceiver] = [:]
  private var bySSRC: [SSRC: MediaReceiver] = [:]
  private var feedback = TransportFeedbackRecorder()
  private var learnt = 0
  private var lastSSRC: SSRC = 0
  private(set) var feedbackDeadline: Instant?

  /// Gives the SSRCs that ended.
  func replace(with parameters: [RTPParameters]) -> [SSRC] {
    var kept: [MediaReceiver] = []
    for parameters in parameters {
      if let known = byMid[parameters.mid], known.continues(parameters) {
        kept.append(known)
      } else if let new = MediaReceiver(parameters) {
        kept.append(new)
      }
    }
    let ended = bySSRC.filter { entry in !kept.contains { $0 === entry.value } }.map(\.key)
    receivers = kept
    byMid = Dictionary(kept.map { ($0.mid, $0) }, uniquingKeysWith: { first, _ in first })
    for ssrc in ended { bySSRC[ssrc] = nil }
    for receiver in kept {
      for ssrc in receiver.describedSSRCs { bySSRC[ssrc] = receiver }
    }
    learnt = 0
    return ended
  }

  func receiver(_ mid: Mid) -> MediaReceiver? { byMid[mid] }

  /// Takes a plain RTP packet; gives the stream that may have frames now.
  func receive(_ packet: UnsafeMutableRawBufferPointer, now: Instant) -> MediaReceiver? {
    guard let header = RTPHeader(parsing: UnsafeRawBufferPointer(packet)),
      let receiver = bySSRC[header.ssrc] ?? learn(header, packet)
    else { return nil }
    lastSSRC = header.ssrc
    let extensions = RTPExtensions(packet: UnsafeRawBufferPointer(packet), header: header)
    if let number = extensions.transportSequence(of: receiver.ids.transportSequence) {
      feedback.record(number, arrival: now)
      if feedbackDeadline == nil { feedbackDeadline = now.advanced(microseconds: Self.feedbackInterval) }
    }
    receiver.receive(packet, header, now: now)
    return receiver
  }

  /// A stream that was described without SSRC, or changed it: its packets bear the mid (RFC 9143 §15).
  private func learn(_ header: RTPHeader, _ packet: UnsafeMutableRawBufferPointer) -> MediaReceiver? {
    guard learnt < Self.learntLimit else { return nil }
    let extensions = RTPExtensions(packet: UnsafeRawBufferPointer(packet), header: header)
    for receiver in receivers {
      guard receiver.carries(header.payloadType), let mid = extensions.bytes(of: receiver.ids.mid),
        mid.elementsEqual(receiver.mid.rawValue.utf8)
      else { continue }
      learnt += 1
      bySSRC[header.ssrc] = receiver
      receiver.learn(header)
      return receiver
    }
    return nil
  }

  func take(_ report: SenderInformation, now: Instant) { bySSRC[report.ssrc]?.take(report, now: now) }

  /// When a request, a frame or a feedback is due.
  var deadline: Instant? {
    var first = feedbackDeadline
    for receiver in receivers {
      if let due = receiver.deadline { first = first.map { min($0, due) } ?? due }
    }
    return first
  }

  /// Writes a feedback packet into a compound of its own; false if there is nothing left to say.
  func writeFeedback(to writer: inout RTCPWriter, sender: SSRC) -> Bool {
    feedbackDeadline = nil
    guard feedback.pendingCount > 0 else { return false }
    return feedback.writeFeedback(to: &writer, sender: sender, media: lastSSRC) > 0
  }
}
