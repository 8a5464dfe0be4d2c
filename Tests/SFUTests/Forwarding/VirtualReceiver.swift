import RoomRTP

@testable import RoomSFU

/// What a subscriber reports of its path: transport-wide feedback each 50 ms, and a NACK for each gap, repeated each 100 ms up to
/// five times.
final class VirtualReceiver {
  private static let interval: Int64 = 50_000

  private struct Missing {
    var number: UInt16
    var asked: Instant
    var times = 0
  }

  private var recorder = TransportFeedbackRecorder()
  private var next: [SSRC: UInt16] = [:]
  private var missing: [SSRC: [Missing]] = [:]
  private let nacks: [SSRC]
  private(set) var deadline: Instant

  init(nacks: [SSRC], now: Instant) {
    self.nacks = nacks
    deadline = now.advanced(microseconds: Self.interval)
  }

  func receive(_ bytes: [UInt8], _ header: RTPHeader, now: Instant) {
    let values = bytes.withUnsafeBytes { RTPExtensionValues(packet: $0, header: header, ids: Parameters.extensionIDs) }
    if let sequence = values.transportSequence { recorder.record(sequence, arrival: now) }
    if let media = nacks.first(where: { $0.rawValue + 1 == header.ssrc.rawValue }), header.payloadLength > 2 {
      let number = bytes[header.headerLength...].withUnsafeBytes { UInt16($0[0]) << 8 | UInt16($0[1]) }
      missing[media]?.removeAll { $0.number == number }
    }
    guard nacks.contains(header.ssrc) else { return }
    if let expected = next[header.ssrc] {
      let ahead = header.sequenceNumber &- expected
      guard ahead < 0x8000 else {
        missing[header.ssrc]?.removeAll { $0.number == header.sequenceNumber }
        return
      }
      for step in 0..<min(ahead, 200) {
        missing[header.ssrc, default: []].append(Missing(number: expected &+ step, asked: .init(microseconds: 0)))
      }
    }
    next[header.ssrc] = header.sequenceNumber &+ 1
  }

  func report(to writer: inout RTCPWriter, now: Instant) {
    deadline = now.advanced(microseconds: Self.interval)
    if recorder.pendingCount > 0 { _ = recorder.writeFeedback(to: &writer, sender: 1, media: 0) }
    // In the order of the streams, so that each run is the same.
    for ssrc in nacks {
      guard let entries = missing[ssrc] else { continue }
      var kept = entries.filter { $0.times < 5 }
      let due = kept.indices.filter { now - kept[$0].asked >= 100_000 }.prefix(100)
      for index in due {
        kept[index].asked = now
        kept[index].times += 1
      }
      missing[ssrc] = kept
      if !due.isEmpty { writer.nack(sender: 1, media: ssrc, sequenceNumbers: due.map { kept[$0].number }) }
    }
  }
}
