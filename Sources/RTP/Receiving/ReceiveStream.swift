/// One received SSRC: its statistics, and what of it is missing. No call allocates.
public struct ReceiveStream: ~Copyable {
  /// The stream.
  public let ssrc: SSRC
  /// What a receiver report says of it.
  public var statistics: ReceiveStatistics
  /// What of it is missing.
  public var losses: LossTracker

  /// Nothing received yet; `clockRate` in ticks per second of the RTP clock.
  public init(ssrc: SSRC, clockRate: UInt32, policy: LossTracker.Policy = .video) {
    self.ssrc = ssrc
    statistics = ReceiveStatistics(clockRate: clockRate)
    losses = LossTracker(policy)
  }

  /// Takes note of a packet that came on its own SSRC.
  public mutating func receive(_ header: RTPHeader, now: Instant) -> LossTracker.Arrival {
    statistics.receive(
      sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, payloadLength: header.payloadLength, now: now)
    return losses.receive(header.sequenceNumber, now: now)
  }

  /// Takes note of a packet that came by RTX, under its original number. It fills a gap, and is not counted as received: a
  /// report tells what the link lost (RFC 4588 §6.3).
  public mutating func receiveRepaired(_ sequenceNumber: UInt16, now: Instant) -> LossTracker.Arrival {
    losses.receive(sequenceNumber, now: now)
  }

  /// Writes a NACK for what is due now.
  /// - Returns: how many packets were asked for.
  @discardableResult
  public mutating func writeRequests(
    to writer: inout RTCPWriter, sender: SSRC, now: Instant, roundTrip: Int64 = 0
  ) -> Int {
    guard let deadline = losses.deadline, now >= deadline else { return 0 }
    // One item may be needed for each: what finds no room in the packet must stay due.
    let room = min(128, (writer.remaining - 12) / 4)
    guard room > 0 else { return 0 }
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: room) { numbers in
      let count = losses.requests(now: now, roundTrip: roundTrip, into: numbers)
      guard count > 0 else { return 0 }
      return writer.nack(sender: sender, media: ssrc, sequenceNumbers: UnsafeBufferPointer(rebasing: numbers[..<count]))
    }
  }
}
