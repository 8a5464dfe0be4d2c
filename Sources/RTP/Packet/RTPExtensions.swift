/// The header extension elements of one packet (RFC 8285), in one-byte or two-byte form, read in place. Ranges are relative to
/// the first byte of the packet. Valid as long as the packet's memory.
public struct RTPExtensions: Sequence {
  /// One extension element.
  public struct Element: Equatable, Sendable {
    /// The id: 1 … 14 in the one-byte form, 1 … 255 in the two-byte form.
    public var id: UInt8
    /// The range of the element's data in the packet; empty only in the two-byte form.
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

  /// Creates the sequence of the elements of `packet`, whose header is `header`. The sequence is empty if the profile of the
  /// extension is not one of RFC 8285.
  @inlinable public init(packet: UnsafeRawBufferPointer, header: RTPHeader) {
    self.packet = packet
    let last = header.extensionOffset &+ header.extensionLength
    let known = header.extensionProfile == 0xbede || header.extensionProfile & 0xfff0 == 0x1000
    offset = header.extensionOffset
    end = known && header.extensionOffset > 0 && last <= packet.count ? last : header.extensionOffset
    twoByte = header.extensionProfile != 0xbede
  }

  @inlinable public func makeIterator() -> Iterator { Iterator(self) }

  /// Iterates over the elements in wire order; ends early if an element overruns the block.
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
          // Id 15 ends the list, whatever follows (RFC 8285 §4.2).
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

  /// Returns the range of the data of the first element with `id`; nil if absent. 0 is not a valid id.
  @inlinable public func range(of id: UInt8) -> Range<Int>? {
    guard id != 0 else { return nil }
    var iterator = makeIterator()
    while let element = iterator.next() {
      if element.id == id { return element.range }
    }
    return nil
  }

  /// Returns the bytes of the element with `id`, for example a mid or rid (RFC 9143, RFC 8852); nil if absent.
  @inlinable public func bytes(of id: UInt8) -> UnsafeRawBufferPointer? {
    range(of: id).map { packet.part($0.lowerBound, $0.count) }
  }

  /// Returns the text of the element with `id`, for example a mid or rid. Allocates.
  public func text(of id: UInt8) -> String? {
    bytes(of: id).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the audio level in the element with `id` (RFC 6464); nil if absent.
  @inlinable public func audioLevel(of id: UInt8) -> AudioLevel? {
    guard let base = packet.baseAddress, let range = range(of: id), range.count >= 1 else { return nil }
    return AudioLevel(wire: base.load8(range.lowerBound))
  }

  /// Returns the absolute send time in the element with `id`; nil if absent.
  @inlinable public func absSendTime(of id: UInt8) -> AbsSendTime? {
    guard let base = packet.baseAddress, let range = range(of: id), range.count == 3 else { return nil }
    return AbsSendTime(rawValue: base.load24(range.lowerBound))
  }

  /// Returns the transport-wide sequence number in the element with `id` (draft-holmer-rmcat-transport-wide-cc-extensions-01
  /// §2); nil if absent.
  @inlinable public func transportSequence(of id: UInt8) -> UInt16? {
    guard let base = packet.baseAddress, let range = range(of: id), range.count >= 2 else { return nil }
    return base.load16(range.lowerBound)
  }
}
