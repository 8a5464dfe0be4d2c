/// A PLI (RFC 4585 §6.3.1): the receiver has lost the picture and asks for a key frame.
public struct PictureLossIndication: Equatable, Sendable {
  static let format: UInt8 = 1

  /// Who asks.
  public let sender: UInt32
  /// The stream that is asked for a key frame.
  public let media: UInt32

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 8, let base = body.baseAddress else { return nil }
    sender = base.load32(0)
    media = base.load32(4)
  }
}

extension RTCPWriter {
  /// Asks for a key frame. False where there is no room.
  @discardableResult
  public mutating func pictureLoss(sender: UInt32, media: UInt32) -> Bool {
    guard
      let place = begin(type: RTCPType.payloadSpecificFeedback, format: PictureLossIndication.format, bodyLength: 8)
    else { return false }
    place.store32(sender, 0)
    place.store32(media, 4)
    return true
  }
}
