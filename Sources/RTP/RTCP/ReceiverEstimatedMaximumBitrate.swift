/// A REMB (draft-alvestrand-rmcat-remb-03), read in place: a collection of the streams that share the estimate.
public struct ReceiverEstimatedMaximumBitrate: RandomAccessCollection {
  static let format: UInt8 = 15
  /// "REMB".
  static let identifier: UInt32 = 0x5245_4d42

  /// The SSRC of the estimating receiver.
  public let sender: SSRC
  /// The estimate in bits per second.
  public let bitrate: UInt64
  private let streams: UnsafeRawBufferPointer

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 16, let base = body.baseAddress, base.load32(8) == Self.identifier else { return nil }
    let count = Int(base.load8(12))
    guard body.count >= 16 + 4 * count else { return nil }
    sender = base.loadSSRC(0)
    let exponent = UInt64(base.load8(13) >> 2)
    let mantissa = UInt64(base.load24(13) & 0x3_ffff)
    bitrate = mantissa.leadingZeroBitCount >= Int(exponent) ? mantissa << exponent : .max
    streams = body.part(16, 4 * count)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { streams.count / 4 }

  public subscript(position: Int) -> SSRC {
    guard let base = streams.baseAddress, indices.contains(position) else { return 0 }
    return base.loadSSRC(4 * position)
  }
}

extension RTCPWriter {
  /// Limits the bitrate of the far end, in bits per second, for up to 255 streams together. The value is rounded down to 18
  /// significant bits. Returns false if there is no room.
  @discardableResult
  public mutating func bitrateEstimate(sender: SSRC, bitrate: UInt64, streams: UnsafeBufferPointer<SSRC>) -> Bool {
    let count = min(255, streams.count)
    let exponent = max(0, 64 - bitrate.leadingZeroBitCount - 18)
    guard
      let place = begin(
        type: RTCPType.payloadSpecificFeedback, format: ReceiverEstimatedMaximumBitrate.format, bodyLength: 16 + 4 * count)
    else { return false }
    place.storeSSRC(sender, 0)
    place.store32(0, 4)
    place.store32(ReceiverEstimatedMaximumBitrate.identifier, 8)
    place.store8(UInt8(truncatingIfNeeded: count), 12)
    place.store24(UInt32(exponent) << 18 | UInt32(truncatingIfNeeded: bitrate >> UInt64(exponent)), 13)
    for index in 0..<count { place.storeSSRC(streams[index], 16 + 4 * index) }
    return true
  }

  /// Limits the bitrate of the far end, for streams given as an array.
  @discardableResult
  public mutating func bitrateEstimate(sender: SSRC, bitrate: UInt64, streams: [SSRC]) -> Bool {
    streams.withUnsafeBufferPointer { bitrateEstimate(sender: sender, bitrate: bitrate, streams: $0) }
  }
}
