import RoomRTP

/// The receiving half of a media session: finds each packet's stream, unwraps RTX, records arrivals for feedback.
final class IncomingMedia {
  /// The maximum number of SSRCs learnt from mid extensions; described SSRCs do not count.
  private static let learnedLimit = 256
  /// The interval in microseconds between two transport-wide feedbacks while media arrives.
  static let feedbackInterval: Int64 = 50_000

  private(set) var receivers: [MediaReceiver] = []
  private var byMid: [Mid: MediaReceiver] = [:]
  private var bySSRC: [SSRC: MediaReceiver] = [:]
  private var feedback = TransportFeedbackRecorder()
  private var learnedCount = 0
  private var lastSSRC: SSRC = 0
  private(set) var feedbackDeadline: Instant?

  /// Replaces the streams. Returns the SSRCs that ended.
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
    learnedCount = 0
    return ended
  }

  func receiver(_ mid: Mid) -> MediaReceiver? { byMid[mid] }

  /// Processes a plain RTP packet. Returns the stream that may have new frames.
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

  /// Assigns an unknown SSRC by mid: the stream was described without SSRC or changed it, and its packets carry the mid (RFC
  /// 9143 §15).
  private func learn(_ header: RTPHeader, _ packet: UnsafeMutableRawBufferPointer) -> MediaReceiver? {
    guard learnedCount < Self.learnedLimit else { return nil }
    let extensions = RTPExtensions(packet: UnsafeRawBufferPointer(packet), header: header)
    for receiver in receivers {
      guard receiver.carries(header.payloadType), let mid = extensions.bytes(of: receiver.ids.mid),
        mid.elementsEqual(receiver.mid.rawValue.utf8)
      else { continue }
      learnedCount += 1
      bySSRC[header.ssrc] = receiver
      receiver.learn(header)
      return receiver
    }
    return nil
  }

  func take(_ report: SenderInformation, now: Instant) { bySSRC[report.ssrc]?.take(report, now: now) }

  /// The time at which a request, a frame or feedback is due.
  var deadline: Instant? {
    var first = feedbackDeadline
    for receiver in receivers {
      if let due = receiver.deadline { first = first.map { min($0, due) } ?? due }
    }
    return first
  }

  /// Writes a feedback packet into its own compound; returns false if there is nothing left to report.
  func writeFeedback(to writer: inout RTCPWriter, sender: SSRC) -> Bool {
    feedbackDeadline = nil
    guard feedback.pendingCount > 0 else { return false }
    return feedback.writeFeedback(to: &writer, sender: sender, media: lastSSRC) > 0
  }
}
