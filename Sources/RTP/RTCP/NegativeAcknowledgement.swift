/// A generic NACK (RFC 4585 §6.2.1), read in place: a sequence of the missing sequence numbers.
public struct NegativeAcknowledgement: Sequence {
  static let format: UInt8 = 1

  /// The SSRC of the requester.
  public let sender: SSRC
  /// The stream with missing packets.
  public let media: SSRC
  private let items: UnsafeRawBufferPointer

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 12, body.count % 4 == 0, let base = body.baseAddress else { return nil }
    sender = base.loadSSRC(0)
    media = base.loadSSRC(4)
    items = body.part(from: 8)
  }

  public func makeIterator() -> Iterator { Iterator(items) }

  /// Expands PID and BLP into single sequence numbers.
  public struct Iterator: IteratorProtocol {
    private let items: UnsafeRawBufferPointer
    private var position = 0
    private var mask: UInt16 = 0
    private var sequence: UInt16 = 0

    fileprivate init(_ items: UnsafeRawBufferPointer) { self.items = items }

    public mutating func next() -> UInt16? {
      if mask != 0 {
        let skip = mask.trailingZeroBitCount + 1
        sequence &+= UInt16(truncatingIfNeeded: skip)
        mask = skip == 16 ? 0 : mask >> UInt16(truncatingIfNeeded: skip)
        return sequence
      }
      guard let base = items.baseAddress, position + 4 <= items.count else { return nil }
      sequence = base.load16(position)
      mask = base.load16(position + 2)
      position += 4
      return sequence
    }
  }
}

extension RTCPWriter {
  /// Requests the retransmission of packets. `sequenceNumbers` must be ascending (also across the wrap); up to 17 consecutive
  /// numbers share four bytes.
  /// - Returns: the number of sequence numbers that fitted.
  @discardableResult
  public mutating func nack(sender: SSRC, media: SSRC, sequenceNumbers: UnsafeBufferPointer<UInt16>) -> Int {
    guard !sequenceNumbers.isEmpty, remaining >= 16,
      let place = begin(type: RTCPType.transportLayerFeedback, format: NegativeAcknowledgement.format, bodyLength: 8)
    else { return 0 }
    place.storeSSRC(sender, 0)
    place.storeSSRC(media, 4)
    var index = 0
    while index < sequenceNumbers.count, let item = extend(by: 4) {
      let first = sequenceNumbers[index]
      var mask: UInt16 = 0
      index += 1
      while index < sequenceNumbers.count {
        let distance = sequenceNumbers[index] &- first
        if distance == 0 {
          index += 1
          continue
        }
        guard distance <= 16 else { break }
        mask |= 1 << (distance - 1)
        index += 1
      }
      item.store16(first, 0)
      item.store16(mask, 2)
    }
    return index
  }

  /// Requests the retransmission of packets, given as an array.
  @discardableResult
  public mutating func nack(sender: SSRC, media: SSRC, sequenceNumbers: [UInt16]) -> Int {
    sequenceNumbers.withUnsafeBufferPointer { nack(sender: sender, media: media, sequenceNumbers: $0) }
  }
}
