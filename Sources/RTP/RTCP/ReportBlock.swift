/// A receiver's report about one source (RFC 3550 §6.4.1).
public struct ReportBlock: Equatable, Sendable {
  /// The length of a block on the wire in bytes.
  public static let length = 24

  /// The source that the block is about.
  public var ssrc: SSRC
  /// The share of packets lost since the last report, in 1/256.
  public var fractionLost: UInt8
  /// Packets lost since the start; negative if there are more duplicates than losses. Clamped to 24 bits on the wire.
  public var cumulativeLost: Int32
  /// The highest sequence number, with the number of wraps in the upper 16 bits.
  public var highestSequence: UInt32
  /// Interarrival jitter in ticks of the codec's clock.
  public var jitter: UInt32
  /// LSR: the middle 32 bits of the last sender report's NTP time; 0 if there was none.
  public var lastSenderReport: UInt32
  /// DLSR: time since then in 1/65536 s.
  public var delaySinceLastSenderReport: UInt32

  /// Creates a block about one source; omitted values are 0.
  public init(
    ssrc: SSRC, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0, highestSequence: UInt32 = 0, jitter: UInt32 = 0,
    lastSenderReport: UInt32 = 0, delaySinceLastSenderReport: UInt32 = 0
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.highestSequence = highestSequence
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }

  init(at base: UnsafeRawPointer) {
    ssrc = base.loadSSRC(0)
    fractionLost = base.load8(4)
    cumulativeLost = Int32(bitPattern: base.load24(5) << 8) >> 8
    highestSequence = base.load32(8)
    jitter = base.load32(12)
    lastSenderReport = base.load32(16)
    delaySinceLastSenderReport = base.load32(20)
  }

  func write(to base: UnsafeMutableRawPointer) {
    base.storeSSRC(ssrc, 0)
    base.store8(fractionLost, 4)
    base.store24(UInt32(bitPattern: max(-0x80_0000, min(0x7f_ffff, cumulativeLost))), 5)
    base.store32(highestSequence, 8)
    base.store32(jitter, 12)
    base.store32(lastSenderReport, 16)
    base.store32(delaySinceLastSenderReport, 20)
  }
}

/// The report blocks of one sender or receiver report, read in place.
public struct ReportBlocks: RandomAccessCollection {
  private let bytes: UnsafeRawBufferPointer

  /// Parses `body`. Returns nil if it does not contain `count` whole blocks from `offset` on.
  init?(body: UnsafeRawBufferPointer, offset: Int, count: Int) {
    guard body.count >= offset + ReportBlock.length * count else { return nil }
    bytes = body.part(offset, ReportBlock.length * count)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { bytes.count / ReportBlock.length }

  public subscript(position: Int) -> ReportBlock {
    guard let base = bytes.baseAddress, indices.contains(position) else { return ReportBlock(ssrc: 0) }
    return ReportBlock(at: base + ReportBlock.length * position)
  }
}
