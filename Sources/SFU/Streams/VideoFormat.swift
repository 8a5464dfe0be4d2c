import RoomRTP

/// Payload formats as single bytes, for the packet path.
enum VideoFormat {
  /// Returns the byte of a codec's name. A codec unknown to RTP has `unknown`: it is forwarded, and every packet counts as a
  /// start.
  static func byte(name: String) -> UInt8 { PayloadFormat(name: name)?.rawValue ?? unknown }

  static let unknown: UInt8 = 0xFF
  static let vp8 = PayloadFormat.vp8.rawValue

  /// Returns whether a decoder can start at this packet.
  @inline(__always) static func isKeyFrame(_ format: UInt8, payload: UnsafeRawBufferPointer) -> Bool {
    guard let format = PayloadFormat(rawValue: format) else { return true }
    return format.startsKeyFrame(payload)
  }

  /// Returns the size in pixels that a packet of a key frame announces; nil if it has none, or the codec is not VP8 or H.264.
  /// Allocates nothing.
  static func pictureSize(_ format: UInt8, payload: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    switch PayloadFormat(rawValue: format) {
    case .vp8: VP8Descriptor.keyFrameSize(payload)
    case .h264: H264.pictureSize(payload)
    default: nil
    }
  }
}
