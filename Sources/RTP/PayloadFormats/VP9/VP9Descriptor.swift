/// The descriptor before each VP9 payload (RFC 9628 §4.2): identifies the picture and the layer of the payload.
public struct VP9Descriptor: Equatable, Sendable {
  /// The length of the descriptor in bytes.
  public let length: Int
  /// The picture id, 7 or 15 bits; nil if the sender omits it.
  public let pictureID: UInt16?
  /// P: predicted from another picture.
  public let isPredicted: Bool
  /// B: the payload starts the frame of a layer.
  public let startsFrame: Bool
  /// E: the payload ends the frame of a layer.
  public let endsFrame: Bool
  /// TID; 0 if there are no layer indices.
  public let temporalLayer: UInt8
  /// SID; 0 if there are no layer indices.
  public let spatialLayer: UInt8

  /// The maximum number of spatial layers (SID has three bits).
  public static let maximumLayers = 8

  /// Parses `payload`. Returns nil if the descriptor does not end within it, or nothing follows.
  public init?(parsing payload: UnsafeRawBufferPointer) {
    var reader = Reader(payload)
    guard let flags = reader.next() else { return nil }
    isPredicted = flags & 0x40 != 0
    startsFrame = flags & 0x08 != 0
    endsFrame = flags & 0x04 != 0
    let isFlexible = flags & 0x10 != 0

    if flags & 0x80 != 0 {
      guard let first = reader.next() else { return nil }
      if first & 0x80 != 0 {
        guard let second = reader.next() else { return nil }
        pictureID = UInt16(first & 0x7f) << 8 | UInt16(second)
      } else {
        pictureID = UInt16(first)
      }
    } else {
      pictureID = nil
    }
    if flags & 0x20 != 0 {
      guard let layers = reader.next() else { return nil }
      temporalLayer = layers >> 5
      spatialLayer = layers >> 1 & 7
      // TL0PICIDX
      if !isFlexible, reader.next() == nil { return nil }
    } else {
      temporalLayer = 0
      spatialLayer = 0
    }
    // P_DIFF: at most three references; N announces another one.
    if isFlexible, isPredicted {
      var references = 0
      while true {
        guard references < 3, let difference = reader.next() else { return nil }
        references += 1
        guard difference & 1 != 0 else { break }
      }
    }
    if flags & 0x02 != 0 { guard reader.skipScalability() else { return nil } }
    guard reader.position < payload.count else { return nil }
    length = reader.position
  }

  private struct Reader {
    let payload: UnsafeRawBufferPointer
    var position = 0

    init(_ payload: UnsafeRawBufferPointer) { self.payload = payload }

    mutating func next() -> UInt8? {
      guard position < payload.count else { return nil }
      defer { position += 1 }
      return payload[position]
    }

    /// Skips the scalability structure: the layer sizes and the picture dependencies. Decoders determine both on their own.
    mutating func skipScalability() -> Bool {
      guard let head = next() else { return false }
      if head & 0x10 != 0 { position += 4 * (Int(head >> 5) + 1) }
      guard head & 0x08 != 0 else { return true }
      guard let pictures = next() else { return false }
      for _ in 0..<pictures {
        guard let picture = next() else { return false }
        position += Int(picture >> 2 & 3)
      }
      return true
    }
  }
}
