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

  /// Who reports.
  public let sender: SSRC
  /// A stream of the transport that is reported on; the report is about all of them.
  public let media: SSRC
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
    sender = base.loadSSRC(0)
    media = base.loadSSRC(4)
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
