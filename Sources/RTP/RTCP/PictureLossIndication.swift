/// A PLI (RFC 4585 §6.3.1): the receiver has lost the picture and asks for a key frame.
public struct PictureLossIndication: Equatable, Sendable {
  static let format: UInt8 = 1

  /// Who asks.
  public let sender: SSRC
  /// The stream that is asked for a key frame.
  public let media: SSRC

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 8, let base = body.baseAddress else { return nil }
    sender = base.loadSSRC(0)
    media = base.loadSSRC(4)
  }
}

extension RTCPWriter {
  /// Asks for a key frame. False where there is no room.
  @discardableResult
  public mutating func pictureLoss(sender: SSRC, media: SSRC) -> Bool {
    guard
      let place = begin(type: RTCPType.payloadSpecificFeedback, format: PictureLossIndication.format, bodyLength: 8)
    else { return false }
    place.storeSSRC(sender, 0)
    place.storeSSRC(media, 4)
    return true
  }
}
