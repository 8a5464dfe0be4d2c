/// Joins the payloads of one VP8 frame, given in order and without a gap (RFC 7741).
public struct VP8Depacketizer: Sendable {
  private var data: [UInt8] = []
  private var pictureID: UInt16?

  /// Ready for a first payload.
  public init() {}

  /// Adds the next payload. False where it cannot belong to the frame: the frame is then lost.
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

  /// The frame, and the depacketizer ready for the next; nil where nothing was added.
  public mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    guard let first = data.first else { return nil }
    defer { data = [] }
    return (data, first & 1 == 0)
  }

  /// Forgets what was added.
  public mutating func reset() { data = [] }
}
