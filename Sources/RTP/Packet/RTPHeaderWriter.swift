import Glibc

/// Writes an RTP header with one-byte extensions (RFC 8285 §4.2) into raw memory. Stores the offsets of the fields whose values
/// are known only when the packet is sent.
///
///     var writer = RTPHeaderWriter(buffer, payloadType: 96, sequenceNumber: 1, timestamp: 90_000, ssrc: 7, marker: true)
///     writer.append(id: 4, transportSequence: 0)
///     let headerLength = writer.finish()
public struct RTPHeaderWriter {
  @usableFromInline let buffer: UnsafeMutableRawBufferPointer
  @usableFromInline var length: Int
  @usableFromInline var extensionStart = 0
  /// Whether an element was omitted because it did not fit or its id or length is invalid in the one-byte form.
  public private(set) var overflowed: Bool
  /// The offset of the three bytes of abs-send-time; 0 if absent.
  public private(set) var absSendTimeOffset = 0
  /// The offset of the two bytes of the transport-wide sequence number; 0 if absent.
  public private(set) var transportSequenceOffset = 0

  /// Writes the fixed part at the start of `buffer`.
  public init(
    _ buffer: UnsafeMutableRawBufferPointer, payloadType: UInt8, sequenceNumber: UInt16, timestamp: UInt32, ssrc: SSRC,
    marker: Bool = false
  ) {
    self.buffer = buffer
    guard buffer.count >= RTPHeader.fixedLength, let base = buffer.baseAddress else {
      length = 0
      overflowed = true
      return
    }
    overflowed = false
    base.store8(0x80, 0)
    base.store8((marker ? 0x80 : 0) | (payloadType & 0x7f), 1)
    base.store16(sequenceNumber, 2)
    base.store32(timestamp, 4)
    base.storeSSRC(ssrc, 8)
    length = RTPHeader.fixedLength
  }

  /// Reserves an element of `count` bytes and returns a pointer to its data.
  private mutating func reserve(id: UInt8, count: Int) -> UnsafeMutableRawPointer? {
    // Three bytes are reserved for padding to a multiple of four.
    let header = extensionStart == 0 ? 4 : 0
    guard length > 0, (1...14).contains(id), (1...16).contains(count), length + header + 1 + count + 3 <= buffer.count,
      let base = buffer.baseAddress
    else {
      overflowed = true
      return nil
    }
    if extensionStart == 0 {
      extensionStart = length + 4
      length = extensionStart
    }
    base.store8(id << 4 | UInt8(truncatingIfNeeded: count - 1), length)
    defer { length += 1 + count }
    return base + length + 1
  }

  /// Appends an element with these bytes, 1 … 16, and an id of 1 … 14. An id of 0 ("not negotiated") appends nothing.
  public mutating func append(id: UInt8, bytes: UnsafeRawBufferPointer) {
    guard id != 0, let place = reserve(id: id, count: bytes.count), let source = bytes.baseAddress else { return }
    place.copyMemory(from: source, byteCount: bytes.count)
  }

  /// Appends an audio level (RFC 6464).
  public mutating func append(id: UInt8, audioLevel: AudioLevel) {
    guard id != 0, let place = reserve(id: id, count: 1) else { return }
    place.store8(audioLevel.wire, 0)
  }

  /// Appends the absolute send time. `absSendTimeOffset` is its offset, so that it can be updated when the packet is sent.
  public mutating func append(id: UInt8, absSendTime: AbsSendTime) {
    guard id != 0, let base = buffer.baseAddress, let place = reserve(id: id, count: 3) else { return }
    place.store24(absSendTime.rawValue, 0)
    absSendTimeOffset = UnsafeRawPointer(place) - UnsafeRawPointer(base)
  }

  /// Appends the transport-wide sequence number; `transportSequenceOffset` is its offset.
  public mutating func append(id: UInt8, transportSequence: UInt16) {
    guard id != 0, let base = buffer.baseAddress, let place = reserve(id: id, count: 2) else { return }
    place.store16(transportSequence, 0)
    transportSequenceOffset = UnsafeRawPointer(place) - UnsafeRawPointer(base)
  }

  /// Ends the extension block and returns the length of the header, which is the offset of the payload. Returns 0 if the buffer
  /// is too small for a header.
  public mutating func finish() -> Int {
    guard extensionStart > 0, let base = buffer.baseAddress else { return length }
    while (length - extensionStart) % 4 != 0 {
      base.store8(0, length)
      length += 1
    }
    base.store8(base.load(as: UInt8.self) | 0x10, 0)
    base.store16(0xbede, extensionStart - 4)
    base.store16(UInt16(truncatingIfNeeded: (length - extensionStart) / 4), extensionStart - 2)
    return length
  }

  /// Appends `count` bytes of padding (1 … 255; the last byte is the count) after the `length` bytes of the packet in `buffer`,
  /// and sets the P bit (RFC 3550 §5.1). Returns the new length; the old one if there is no room.
  public static func pad(_ buffer: UnsafeMutableRawBufferPointer, length: Int, by count: Int) -> Int {
    guard let base = buffer.baseAddress, (1...255).contains(count), length >= RTPHeader.fixedLength,
      length <= buffer.count, count <= buffer.count - length
    else { return length }
    memset(base + length, 0, count)
    base.store8(UInt8(truncatingIfNeeded: count), length + count - 1)
    base.store8(base.load(as: UInt8.self) | 0x20, 0)
    return length + count
  }
}
