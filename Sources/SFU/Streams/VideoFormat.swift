import RTP

/// Payload formats as the packet path keeps them: a byte.
enum VideoFormat {
  /// The byte of a codec's name; that of none where RTP knows no such format: it is forwarded, and every packet may start it.
  static func byte(name: String) -> UInt8 { PayloadFormat(name: name)?.rawValue ?? unknown }

  static let unknown: UInt8 = 0xFF

  /// Whether a decoder can start at this packet.
  @inline(__always) static func isKeyFrame(_ format: UInt8, payload: UnsafeRawBufferPointer) -> Bool {
    guard let format = PayloadFormat(rawValue: format) else { return true }
    return format.startsKeyFrame(payload)
  }
}
