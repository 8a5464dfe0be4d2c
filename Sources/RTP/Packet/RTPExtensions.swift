/// The header extension elements of one packet (RFC 8285), one-byte and two-byte form, read in place. Ranges count from the
/// packet's first byte. Valid as long as the packet's memory.
public struct RTPExtensions: Sequence {
  /// One extension element.
  public struct Element: Equatable, Sendable {
    /// 1 … 14 in the one-byte form, 1 … 255 in the two-byte form.
    public var id: UInt8
    /// Where the element's data lies in the packet; empty only in the two-byte form.
    public var range: Range<Int>

    @inlinable init(id: UInt8, range: Range<Int>) {
      self.id = id
      self.range = range
    }
  }

  @usableFromInline let packet: UnsafeRawBufferPointer
  @usableFromInline let offset: Int
  @usableFromInline let end: Int
  @usableFromInline let twoByte: Bool

  /// The elements of `packet`, whose header is `header`; none where the extension's profile is neither of RFC 8285's.
  @inlinable public init(packet: UnsafeRawBufferPointer, header: RTPHeader) {
    self.packet = packet
    let last = header.extensionOffset &+ header.extensionLength
    let known = header.extensionProfile == 0xbede || header.extensionProfile & 0xfff0 == 0x1000
    offset = header.extensionOffset
    end = known && header.extensionOffset > 0 && last <= packet.count ? last : header.extensionOffset
    twoByte = header.extensionProfile != 0xbede
  }

  @inlinable public func makeIterator() -> Iterator { Iterator(self) }

  /// Goes through the elements in the order of the wire; ends early where an element overruns the block.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let extensions: RTPExtensions
    @usableFromInline var position: Int

    @inlinable init(_ extensions: RTPExtensions) {
      self.extensions = extensions
      position = extensions.offset
    }

    @inlinable public mutating func next() -> Element? {
      guard let base = extensions.packet.baseAddress else { return nil }
      let end = extensions.end
      while position < end {
        let first = base.load8(position)
        let id: UInt8
        let start: Int
        let length: Int
        if extensions.twoByte {
          if first == 0 {
            position += 1
            continue
          }
          guard position + 2 <= end else { break }
          id = first
          length = Int(base.load8(position + 1))
          start = position + 2
        } else {
          id = first >> 4
          if id == 0 {
            position += 1
            continue
          }
          // 15 says: stop here, whatever follows (RFC 8285 §4.2).
          guard id != 15 else { break }
          length = Int(first & 0x0f) + 1
          start = position + 1
        }
        guard start + length <= end else { break }
        position = start + length
        return Element(id: id, range: start..<(start + length))
      }
      position = end
      return nil
    }
  }

  /// Where the data of the first element with `id` lies; nil where there is none. 0 is nobody's id.
  @inlinable public func range(of id: UInt8) -> Range<Int>? {
    guard id != 0 else { return nil }
    var iterator = makeIterator()
    while let element = iterator.next() {
      if element.id == id { return element.range }
    }
    return nil
  }

  /// The bytes of the element with `id`, as for mid and rid (RFC 9143, RFC 8852); nil where absent.
  @inlinable public func bytes(of id: UInt8) -> UnsafeRawBufferPointer? {
    range(of: id).map { packet.part($0.lowerBound, $0.count) }
  }

  /// The text of the element with `id`, as for mid and rid. Allocates.
  public func text(of id: UInt8) -> String? {
    bytes(of: id).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The audio level in the element with `id` (RFC 6464); nil where absent.
  @inlinable public func audioLevel(of id: UInt8) -> AudioLevel? {
    guard let base = packet.baseAddress, let range = range(of: id), range.count >= 1 else { return nil }
    return AudioLevel(wire: base.load8(range.lowerBound))
  }

  /// The absolute send time in the element with `id`; nil where absent.
  @inlinable public func absSendTime(of id: UInt8) -> AbsSendTime? {
    guard let base = packet.baseAddress, let range = range(of: id), range.count == 3 else { return nil }
    return AbsSendTime(rawValue: base.load24(range.lowerBound))
  }

  /// The transport-wide sequence number in the element with `id`
  /// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §2); nil where absent.
  @inlinable public func transportSequence(of id: UInt8) -> UInt16? {
    guard let base = packet.baseAddress, let range = range(of: id), range.count >= 2 else { return nil }
    return base.load16(range.lowerBound)
  }
}
