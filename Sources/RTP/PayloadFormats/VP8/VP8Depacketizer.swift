/// Joins the payloads of one VP8 frame, which are passed in order and without a gap (RFC 7741).
public struct VP8Depacketizer: Sendable {
  private var data: [UInt8] = []
  private var pictureID: UInt16?

  /// Creates an empty depacketizer.
  public init() {}

  /// Appends the next payload. Returns false if it cannot belong to the frame; the frame is then lost.
  public mutating func append(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard let descriptor = VP8Descriptor(parsing: payload) else { return false }
    if data.isEmpty {
      guard descriptor.startsFrame else { return false }
      pictureID = descriptor.pictureID
    } else {
      guard !descriptor.startsFrame, descriptor.pictureID == pictureID else { return false }
    }
    data.append(contentsOf: payload.part(from: descriptor.length))
    return true
  }

  /// Returns the frame and resets the depacketizer; nil if nothing was appended.
  public mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    guard let first = data.first else { return nil }
    defer { data = [] }
    return (data, first & 1 == 0)
  }

  /// Discards the appended payloads.
  public mutating func reset() { data = [] }
}
