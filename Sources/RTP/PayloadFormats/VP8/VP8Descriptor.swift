/// The descriptor before each part of a VP8 frame (RFC 7741 §4.2), read without allocation. Offsets are relative to the first
/// byte of the payload.
public struct VP8Descriptor: Equatable, Sendable {
  /// The length of the descriptor in bytes: 1 … 6.
  public let length: Int
  /// N: no other frame refers to this one.
  public let isNonReference: Bool
  /// S: the payload starts a partition.
  public let startsPartition: Bool
  /// PID: the partition index, 0 … 15 (3 bits in RFC 7741).
  public let partition: UInt8
  /// The picture id, 7 or 15 bits; nil if absent.
  public let pictureID: UInt16?
  /// Whether the picture id has 15 bits.
  public let isLongPictureID: Bool
  /// TL0PICIDX; nil if absent.
  public let temporalLevel0Index: UInt8?
  /// TID: 0 … 3; nil if absent.
  public let temporalLayer: UInt8?
  /// Y: the frame refers only to layer 0.
  public let isLayerSync: Bool
  /// The offset of the picture id; 0 if absent.
  public let pictureIDOffset: Int
  /// The offset of TL0PICIDX; 0 if absent.
  public let temporalLevel0Offset: Int

  /// Whether the payload is the first of its frame.
  @inlinable public var startsFrame: Bool { startsPartition && partition == 0 }

  /// Parses `payload`. Returns nil if it ends within the descriptor or directly after it.
  @inlinable public init?(parsing payload: UnsafeRawBufferPointer) {
    guard let base = payload.baseAddress, payload.count >= 2 else { return nil }
    let count = payload.count
    let first = base.load8(0)
    isNonReference = first & 0x20 != 0
    startsPartition = first & 0x10 != 0
    partition = first & 0x07
    var position = 1
    var pictureID: UInt16?
    var isLong = false
    var pictureIDOffset = 0
    var level0: UInt8?
    var level0Offset = 0
    var layer: UInt8?
    var sync = false
    if first & 0x80 != 0 {
      let flags = base.load8(1)
      position = 2
      if flags & 0x80 != 0 {
        guard position < count else { return nil }
        pictureIDOffset = position
        let high = base.load8(position)
        isLong = high & 0x80 != 0
        if isLong {
          guard position + 2 <= count else { return nil }
          pictureID = base.load16(position) & 0x7fff
          position += 2
        } else {
          pictureID = UInt16(high)
          position += 1
        }
      }
      if flags & 0x40 != 0 {
        guard position < count else { return nil }
        level0Offset = position
        level0 = base.load8(position)
        position += 1
      }
      if flags & 0x30 != 0 {
        guard position < count else { return nil }
        let byte = base.load8(position)
        if flags & 0x20 != 0 {
          layer = byte >> 6
          sync = byte & 0x20 != 0
        }
        position += 1
      }
    }
    guard position < count else { return nil }
    length = position
    self.pictureID = pictureID
    isLongPictureID = isLong
    temporalLevel0Index = level0
    temporalLayer = layer
    isLayerSync = sync
    self.pictureIDOffset = pictureIDOffset
    temporalLevel0Offset = level0Offset
  }

  /// Returns whether `payload` is the first of a key frame (RFC 7741 §4.3: P is 0, and the start code follows).
  @inlinable public static func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    VP8Descriptor(parsing: payload)?.startsKeyFrame(payload) ?? false
  }

  /// Returns whether `payload`, which has this descriptor, is the first of a key frame.
  @inlinable public func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard startsFrame, let base = payload.baseAddress, length < payload.count else { return false }
    return base.load8(length) & 1 == 0
  }

  /// Returns the width and height in pixels of the key frame that starts in `payload` (RFC 6386 §9.1); nil if it is not a key
  /// frame.
  public static func keyFrameSize(_ payload: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    guard let descriptor = VP8Descriptor(parsing: payload), descriptor.startsFrame else { return nil }
    let frame = payload.part(from: descriptor.length)
    guard let base = frame.baseAddress, frame.count >= 10, base.load8(0) & 1 == 0, base.load24(3) == 0x9d012a else {
      return nil
    }
    return (Int(base.load16(6).byteSwapped & 0x3fff), Int(base.load16(8).byteSwapped & 0x3fff))
  }
}
