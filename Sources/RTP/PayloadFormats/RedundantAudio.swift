/// The blocks of a RED payload (RFC 2198), oldest first, the primary one last; read in place, a sequence.
public struct RedundantAudio: Sequence {
  /// One block of encoded audio.
  public struct Block {
    /// Its payload type, 0 … 127.
    public let payloadType: UInt8
    /// How much earlier it is than the packet's timestamp, in ticks: 0 for the primary.
    public let timestampOffset: UInt32
    /// The encoded audio.
    public let data: UnsafeRawBufferPointer
    /// Whether this is the newest block, which is not a repetition.
    public let isPrimary: Bool
  }

  private let payload: UnsafeRawBufferPointer
  private let dataOffset: Int
  /// How many blocks there are, the primary included.
  public let count: Int
  /// More redundant blocks than this are refused.
  static let maximumBlocks = 32

  /// Nil where the headers and lengths do not fit `payload`.
  public init?(parsing payload: UnsafeRawBufferPointer) {
    guard let base = payload.baseAddress else { return nil }
    var position = 0
    var length = 0
    var blocks = 1
    while true {
      guard position < payload.count, blocks <= Self.maximumBlocks else { return nil }
      guard base.load8(position) & 0x80 != 0 else { break }
      guard position + 4 <= payload.count else { return nil }
      length += Int(base.load16(position + 2) & 0x3ff)
      position += 4
      blocks += 1
    }
    position += 1
    guard position + length <= payload.count else { return nil }
    self.payload = payload
    dataOffset = position
    count = blocks
  }

  public func makeIterator() -> Iterator { Iterator(payload: payload, position: dataOffset, left: count) }

  /// Goes through the blocks in the order of the wire.
  public struct Iterator: IteratorProtocol {
    private let payload: UnsafeRawBufferPointer
    private var header = 0
    private var position: Int
    private var left: Int

    fileprivate init(payload: UnsafeRawBufferPointer, position: Int, left: Int) {
      self.payload = payload
      self.position = position
      self.left = left
    }

    public mutating func next() -> Block? {
      guard left > 0, let base = payload.baseAddress else { return nil }
      left -= 1
      let type = base.load8(header) & 0x7f
      if left == 0 {
        return Block(payloadType: type, timestampOffset: 0, data: payload.part(from: position), isPrimary: true)
      }
      let fields = base.load24(header + 1)
      let length = Int(fields & 0x3ff)
      defer {
        header += 4
        position += length
      }
      return Block(
        payloadType: type, timestampOffset: fields >> 10, data: payload.part(position, length), isPrimary: false)
    }
  }
}
