/// A receiver report (RFC 3550 §6.4.2), read in place.
public struct ReceiverReport {
  /// The SSRC of the reporter.
  public let ssrc: SSRC
  /// The blocks, one per reported source, up to 31.
  public let blocks: ReportBlocks

  init?(body: UnsafeRawBufferPointer, count: Int) {
    guard body.count >= 4, let base = body.baseAddress, let blocks = ReportBlocks(body: body, offset: 4, count: count) else {
      return nil
    }
    ssrc = base.loadSSRC(0)
    self.blocks = blocks
  }
}

extension RTCPWriter {
  /// Starts a receiver report; `append(_: ReportBlock)` adds to it. Returns false if there is no room.
  @discardableResult
  public mutating func receiverReport(ssrc: SSRC) -> Bool {
    guard let place = begin(type: RTCPType.receiverReport, format: 0, bodyLength: 4) else { return false }
    place.storeSSRC(ssrc, 0)
    return true
  }

  /// Adds a block to the report written last. Returns false if the last packet is not a report, has 31 blocks, or there is no
  /// room.
  @discardableResult
  public mutating func append(_ block: ReportBlock) -> Bool {
    guard lastType == RTCPType.senderReport || lastType == RTCPType.receiverReport, lastCount < 31,
      let place = extend(by: ReportBlock.length)
    else { return false }
    block.write(to: place)
    lastCount += 1
    return true
  }
}
