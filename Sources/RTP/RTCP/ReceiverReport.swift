/// A receiver report (RFC 3550 §6.4.2), read in place.
public struct ReceiverReport {
  /// Who reports.
  public let ssrc: SSRC
  /// One for each source that is reported on, up to 31.
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
  /// Begins a receiver report; `append(_: ReportBlock)` adds to it. False where there is no room.
  @discardableResult
  public mutating func receiverReport(ssrc: SSRC) -> Bool {
    guard let place = begin(type: RTCPType.receiverReport, format: 0, bodyLength: 4) else { return false }
    place.storeSSRC(ssrc, 0)
    return true
  }

  /// Adds a block to the report written last. False where the last packet is no report, has 31 blocks, or there is no room.
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
