/// The blocks of a RED payload (RFC 2198), oldest first, the primary block last. A sequence that is read in place.
public struct RedundantAudio: Sequence {
  /// One block of encoded audio.
  public struct Block {
    /// The payload type of the block, 0 … 127.
    public let payloadType: UInt8
    /// The offset by which the block precedes the packet's timestamp, in ticks; 0 for the primary block.
    public let timestampOffset: UInt32
    /// The encoded audio.
    public let data: UnsafeRawBufferPointer
    /// The number of blocks behind it; 0 for the primary block. Senders copy consecutive packets, so the block's sequence number
    /// follows from it (`missingNumber`).
    public let distance: Int
    /// Whether this is the primary (newest) block, not a redundant copy.
    public var isPrimary: Bool { distance == 0 }
  }

  /// The longest redundant block in bytes: its length has ten bits.
  public static let longestBlock = 0x3ff
  /// The largest offset of a redundant block in ticks: it has fourteen bits.
  public static let longestOffset: UInt32 = 0x3fff
  /// The length in bytes of the header of a redundant block, and of the primary block.
  public static let headerLength = 4
  public static let primaryHeaderLength = 1

  private let payload: UnsafeRawBufferPointer
  private let dataOffset: Int
  /// The primary block.
  public let primary: Block
  /// The number of blocks, including the primary one.
  public let count: Int
  /// The maximum number of redundant blocks; payloads with more are rejected.
  static let maximumBlocks = 32

  /// Parses `payload`. Returns nil if its headers and lengths are inconsistent.
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
    primary = Block(
      payloadType: base.load8(position - 1) & 0x7f, timestampOffset: 0, data: payload.part(from: position + length),
      distance: 0)
  }

  public func makeIterator() -> Iterator { Iterator(payload: payload, position: dataOffset, left: count) }

  /// Iterates over the blocks in wire order.
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
        return Block(payloadType: type, timestampOffset: 0, data: payload.part(from: position), distance: 0)
      }
      let fields = base.load24(header + 1)
      let length = Int(fields & 0x3ff)
      defer {
        header += 4
        position += length
      }
      return Block(
        payloadType: type, timestampOffset: fields >> 10, data: payload.part(position, length), distance: left)
    }
  }
}
