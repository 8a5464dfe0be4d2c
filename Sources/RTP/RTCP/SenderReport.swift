/// A sender's report about its own stream (RFC 3550 §6.4.1): the part of a sender report before the report blocks.
public struct SenderInformation: Equatable, Sendable {
  /// The SSRC of the sender's own stream.
  public var ssrc: SSRC
  /// The time at which the report was created.
  public var ntpTime: NTPTime
  /// The RTP timestamp of the same time.
  public var rtpTimestamp: UInt32
  /// Packets sent since the start, modulo 2³².
  public var packetCount: UInt32
  /// Payload bytes sent since the start, modulo 2³².
  public var octetCount: UInt32

  /// Creates the report about one stream.
  public init(ssrc: SSRC, ntpTime: NTPTime, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32) {
    self.ssrc = ssrc
    self.ntpTime = ntpTime
    self.rtpTimestamp = rtpTimestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }
}

/// A sender report (RFC 3550 §6.4.1), read in place.
public struct SenderReport {
  /// The information about the sender's own stream.
  public let sender: SenderInformation
  /// The blocks about the streams that the sender receives: one per source, up to 31.
  public let blocks: ReportBlocks

  init?(body: UnsafeRawBufferPointer, count: Int) {
    guard body.count >= 24, let base = body.baseAddress, let blocks = ReportBlocks(body: body, offset: 24, count: count) else {
      return nil
    }
    sender = SenderInformation(
      ssrc: base.loadSSRC(0), ntpTime: NTPTime(rawValue: base.load64(4)), rtpTimestamp: base.load32(12),
      packetCount: base.load32(16), octetCount: base.load32(20))
    self.blocks = blocks
  }
}

extension RTCPWriter {
  /// Starts a sender report; `append(_: ReportBlock)` adds to it. Returns false if there is no room.
  @discardableResult
  public mutating func senderReport(_ sender: SenderInformation) -> Bool {
    guard let place = begin(type: RTCPType.senderReport, format: 0, bodyLength: 24) else { return false }
    place.storeSSRC(sender.ssrc, 0)
    place.store64(sender.ntpTime.rawValue, 4)
    place.store32(sender.rtpTimestamp, 12)
    place.store32(sender.packetCount, 16)
    place.store32(sender.octetCount, 20)
    return true
  }
}
