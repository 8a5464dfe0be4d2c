/// Keeps the picture id and TL0PICIDX of a forwarded VP8 stream continuous when its source changes or frames are dropped. A
/// trivial struct.
public struct VP8PictureMapping: Equatable, Sendable {
  private var pictureOffset: UInt16 = 0
  private var level0Offset: UInt8 = 0
  private var lastPicture: UInt16 = 0
  private var lastLevel0: UInt8 = 0
  private var started = false

  /// Creates a mapping that changes nothing until the source changes.
  public init() {}

  /// Switches to a new source. Call it with the first packet from that source: its picture follows the last one that was sent.
  public mutating func switchSource(to descriptor: VP8Descriptor) {
    guard started else { return }
    pictureOffset = lastPicture &+ 1 &- (descriptor.pictureID ?? 0)
    level0Offset = lastLevel0 &+ 1 &- (descriptor.temporalLevel0Index ?? 0)
  }

  /// Returns the values to write into a packet with this descriptor.
  public mutating func map(_ descriptor: VP8Descriptor) -> (pictureID: UInt16, temporalLevel0Index: UInt8) {
    let mask: UInt16 = descriptor.isLongPictureID ? 0x7fff : 0x7f
    let picture = ((descriptor.pictureID ?? 0) &+ pictureOffset) & mask
    let level0 = (descriptor.temporalLevel0Index ?? 0) &+ level0Offset
    // Only newer pictures move the end, because reordered packets of older pictures also pass through here.
    if !started || ((picture &- lastPicture) & mask) < (mask >> 1) { lastPicture = picture }
    if !started || Int8(bitPattern: level0 &- lastLevel0) > 0 { lastLevel0 = level0 }
    started = true
    return (picture, level0)
  }
}
