/// A PLI (RFC 4585 §6.3.1): the receiver has lost the picture and requests a key frame.
public struct PictureLossIndication: Equatable, Sendable {
  static let format: UInt8 = 1

  /// The SSRC of the requester.
  public let sender: SSRC
  /// The stream that must send a key frame.
  public let media: SSRC

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 8, let base = body.baseAddress else { return nil }
    sender = base.loadSSRC(0)
    media = base.loadSSRC(4)
  }
}

extension RTCPWriter {
  /// Requests a key frame. Returns false if there is no room.
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
