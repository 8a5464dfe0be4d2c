/// A transport-wide feedback packet (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1), read in place: a sequence of what
/// the receiver says of each packet. A packet whose chunks or deltas do not cover what it announces is refused.
public struct TransportFeedback: Sequence {
  static let format: UInt8 = 15
  /// The microseconds of one tick of the reference time.
  static let referenceTick: Int64 = 64_000
  /// The microseconds of one tick of a delta.
  static let deltaTick: Int64 = 250
  /// More statuses than this in one packet are refused: 18 bytes of chunks could announce 65,535.
  static let maximumStatusCount = 8192

  /// What is said of one packet.
  public struct Status: Equatable, Sendable {
    /// The transport-wide sequence number.
    public let sequenceNumber: UInt16
    /// When it arrived, in microseconds of the receiver's clock, which wraps at 2²⁴ · 64 ms; nil where it did not arrive.
    public let arrival: Int64?
  }

  public let sender: UInt32
  public let media: UInt32
  /// The number of the first packet reported on.
  public let baseSequence: UInt16
  /// How many packets are reported on.
  public let statusCount: Int
  /// In 64 ms, signed 24 bits.
  public let referenceTime: Int32
  /// Counts the feedback packets, so that a lost one is noticed.
  public let feedbackCount: UInt8
  private let body: UnsafeRawBufferPointer
  private let deltaOffset: Int

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 16, let base = body.baseAddress else { return nil }
    sender = base.load32(0)
    media = base.load32(4)
    baseSequence = base.load16(8)
    statusCount = Int(base.load16(10))
    referenceTime = Int32(bitPattern: base.load24(12) << 8) >> 8
    feedbackCount = base.load8(15)
    self.body = body
    guard statusCount > 0, statusCount <= Self.maximumStatusCount else { return nil }

    var position = 16
    var deltas = 0
    var left = statusCount
    while left > 0 {
      guard position + 2 <= body.count else { return nil }
      let chunk = StatusChunk(base.load16(position))
      let count = Swift.min(left, chunk.count)
      // A chunk of no statuses would be read for ever.
      guard count > 0 else { return nil }
      deltas += chunk.deltaBytes(count)
      left -= count
      position += 2
    }
    guard position + deltas <= body.count else { return nil }
    deltaOffset = position
  }

  public func makeIterator() -> Iterator {
    Iterator(
      body: body, deltaOffset: deltaOffset, left: statusCount, sequence: baseSequence,
      time: Int64(referenceTime) * Self.referenceTick)
  }

  /// Goes through the statuses by ascending sequence number.
  public struct Iterator: IteratorProtocol {
    private let body: UnsafeRawBufferPointer
    private var chunkOffset = 16
    private var deltaOffset: Int
    private var left: Int
    private var sequence: UInt16
    private var time: Int64
    private var chunk = StatusChunk(0)
    private var index = 0

    fileprivate init(body: UnsafeRawBufferPointer, deltaOffset: Int, left: Int, sequence: UInt16, time: Int64) {
      self.body = body
      self.deltaOffset = deltaOffset
      self.left = left
      self.sequence = sequence
      self.time = time
    }

    public mutating func next() -> Status? {
      guard left > 0, let base = body.baseAddress else { return nil }
      if index == chunk.count {
        chunk = StatusChunk(base.load16(chunkOffset))
        chunkOffset += 2
        index = 0
      }
      let symbol = chunk.symbol(index)
      index += 1
      left -= 1
      defer { sequence &+= 1 }
      switch symbol {
      case 1:
        time &+= Int64(base.load8(deltaOffset)) * TransportFeedback.deltaTick
        deltaOffset += 1
      case 2:
        time &+= Int64(Int16(bitPattern: base.load16(deltaOffset))) * TransportFeedback.deltaTick
        deltaOffset += 2
      default:
        return Status(sequenceNumber: sequence, arrival: nil)
      }
      return Status(sequenceNumber: sequence, arrival: time)
    }
  }
}

/// A packet status chunk (§3.1.3, §3.1.4): a run of one symbol, or a vector of 14 one-bit or 7 two-bit symbols.
/// Symbols: 0 not received, 1 a one-byte delta, 2 a two-byte delta.
struct StatusChunk {
  static let longestRun = 0x1fff

  var rawValue: UInt16

  init(_ rawValue: UInt16) { self.rawValue = rawValue }

  init(run count: Int, of symbol: UInt8) {
    rawValue = UInt16(symbol & 3) << 13 | UInt16(truncatingIfNeeded: min(count, Self.longestRun))
  }

  /// A vector of the first 14 symbols, all 0 or 1.
  init(oneBit symbols: UnsafeBufferPointer<UInt8>) {
    rawValue = 0x8000
    for (index, symbol) in symbols.prefix(14).enumerated() where symbol == 1 { rawValue |= 1 << UInt16(13 - index) }
  }

  /// A vector of the first 7 symbols.
  init(twoBit symbols: UnsafeBufferPointer<UInt8>) {
    rawValue = 0xc000
    for (index, symbol) in symbols.prefix(7).enumerated() { rawValue |= UInt16(symbol & 3) << UInt16(12 - 2 * index) }
  }

  var isRun: Bool { rawValue & 0x8000 == 0 }

  /// How many statuses the chunk has.
  var count: Int {
    if isRun { return Int(rawValue & 0x1fff) }
    return rawValue & 0x4000 == 0 ? 14 : 7
  }

  func symbol(_ index: Int) -> UInt8 {
    if isRun { return UInt8(truncatingIfNeeded: rawValue >> 13 & 3) }
    if rawValue & 0x4000 == 0 { return UInt8(truncatingIfNeeded: rawValue >> UInt16(truncatingIfNeeded: 13 - index) & 1) }
    return UInt8(truncatingIfNeeded: rawValue >> UInt16(truncatingIfNeeded: 12 - 2 * index) & 3)
  }

  /// Bytes of deltas that the first `count` statuses have.
  func deltaBytes(_ count: Int) -> Int {
    if isRun {
      let symbol = symbol(0)
      return symbol == 1 ? count : symbol == 2 ? 2 * count : 0
    }
    var bytes = 0
    for index in 0..<count {
      let symbol = symbol(index)
      bytes += symbol == 1 ? 1 : symbol == 2 ? 2 : 0
    }
    return bytes
  }
}
