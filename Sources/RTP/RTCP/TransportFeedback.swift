/// A transport-wide feedback packet (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1), read in place: a sequence of the
/// statuses of all reported packets. Parsing fails if the chunks or deltas do not cover the announced packets.
public struct TransportFeedback: Sequence {
  static let format: UInt8 = 15
  /// The duration of one tick of the reference time in microseconds.
  static let referenceTick: Int64 = 64_000
  /// The duration of one tick of a delta in microseconds.
  static let deltaTick: Int64 = 250
  /// The maximum number of statuses in one packet; packets with more are rejected, because 18 bytes of chunks could announce
  /// 65,535.
  static let maximumStatusCount = 8192

  /// The status of one packet.
  public struct Status: Equatable, Sendable {
    /// The transport-wide sequence number.
    public let sequenceNumber: UInt16
    /// The arrival time in microseconds of the receiver's clock, which wraps at 2²⁴ · 64 ms; nil if the packet did not arrive.
    public let arrival: Int64?
  }

  /// The SSRC of the reporter.
  public let sender: SSRC
  /// One stream of the reported transport; the report covers all of them.
  public let media: SSRC
  /// The number of the first reported packet.
  public let baseSequence: UInt16
  /// The number of reported packets.
  public let statusCount: Int
  /// The reference time in units of 64 ms, signed 24 bits.
  public let referenceTime: Int32
  /// The counter of feedback packets, which reveals lost ones.
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
      // A chunk without statuses would cause an endless loop.
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

  /// Iterates over the statuses in ascending order of sequence number.
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
