/// The VP9 payload fields that a server needs in order to forward VP9 unchanged (RFC 9628 §4.2).
public enum VP9 {
  /// Returns whether `payload` starts a key frame: not predicted from another picture, start of a frame, lowest spatial layer.
  public static func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard let base = payload.baseAddress, payload.count >= 2 else { return false }
    let flags = base.load8(0)
    let hasPictureID = flags & 0x80 != 0
    let isPredicted = flags & 0x40 != 0
    let hasLayer = flags & 0x20 != 0
    let startsFrame = flags & 0x08 != 0
    guard startsFrame, !isPredicted else { return false }
    var position = 1
    if hasPictureID { position += base.load8(1) & 0x80 != 0 ? 2 : 1 }
    guard hasLayer else { return position < payload.count }
    guard position < payload.count else { return false }
    // SID: inter-layer frames above the base layer are not predicted from another picture either.
    return base.load8(position) >> 1 & 7 == 0
  }

  /// Returns whether the frame header announces a key frame that is not a picture shown again (VP9 bitstream specification
  /// §6.2).
  static func isKeyFrame(_ frame: UnsafeRawBufferPointer) -> Bool {
    guard let first = frame.first, first >> 6 == 0b10 else { return false }
    // Profile 3 has a reserved bit before show_existing_frame and frame_type.
    let isProfile3 = first & 0x30 == 0x30
    return first & (isProfile3 ? 0x06 : 0x0c) == 0
  }
}
