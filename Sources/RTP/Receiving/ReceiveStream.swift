/// One received SSRC: its statistics and its missing packets. No call allocates.
public struct ReceiveStream: ~Copyable {
  /// The SSRC of the stream.
  public let ssrc: SSRC
  /// The statistics for receiver reports.
  public var statistics: ReceiveStatistics
  /// The missing packets.
  public var losses: LossTracker

  /// Creates an empty stream; `clockRate` in ticks per second of the RTP clock.
  public init(ssrc: SSRC, clockRate: UInt32, policy: LossTracker.Policy = .video) {
    self.ssrc = ssrc
    statistics = ReceiveStatistics(clockRate: clockRate)
    losses = LossTracker(policy)
  }

  /// Records a packet that arrived on its own SSRC.
  public mutating func receive(_ header: RTPHeader, now: Instant) -> LossTracker.Arrival {
    statistics.receive(
      sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, payloadLength: header.payloadLength, now: now)
    return losses.receive(header.sequenceNumber, now: now)
  }

  /// Records a packet that arrived by RTX, under its original number. The packet fills a gap but does not count as received,
  /// because a report states the losses of the link (RFC 4588 §6.3).
  public mutating func receiveRepaired(_ sequenceNumber: UInt16, now: Instant) -> LossTracker.Arrival {
    losses.receive(sequenceNumber, now: now)
  }

  /// Writes a NACK for the packets that are due now.
  /// - Returns: the number of packets requested.
  @discardableResult
  public mutating func writeRequests(
    to writer: inout RTCPWriter, sender: SSRC, now: Instant, roundTrip: Int64 = 0
  ) -> Int {
    guard let deadline = losses.deadline, now >= deadline else { return 0 }
    // Each packet may need its own item; packets that do not fit must remain due.
    let room = min(128, (writer.remaining - 12) / 4)
    guard room > 0 else { return 0 }
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: room) { numbers in
      let count = losses.requests(now: now, roundTrip: roundTrip, into: numbers)
      guard count > 0 else { return 0 }
      return writer.nack(sender: sender, media: ssrc, sequenceNumbers: UnsafeBufferPointer(rebasing: numbers[..<count]))
    }
  }
}
