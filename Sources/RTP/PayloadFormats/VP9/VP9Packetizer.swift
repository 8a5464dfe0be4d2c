/// Splits VP9 frames of one layer into payloads with 15-bit picture ids (RFC 9628 §4.2).
public struct VP9Packetizer: Sendable {
  private static let descriptorSize = 3

  /// The maximum payload size in bytes, including the descriptor.
  public let maximumPayloadSize: Int
  /// The picture id of the next frame, 0 … 32,767.
  public private(set) var pictureID: UInt16

  /// Creates a packetizer.
  /// - Parameters:
  ///   - maximumPayloadSize: bytes; raised to 4 if smaller.
  ///   - pictureID: the id of the first frame; RFC 9628 recommends a random one.
  public init(maximumPayloadSize: Int = 1100, pictureID: UInt16 = 0) {
    self.maximumPayloadSize = max(Self.descriptorSize + 1, maximumPayloadSize)
    self.pictureID = pictureID & 0x7fff
  }

  /// Returns the payloads of one frame, in order and of nearly equal size. The packet of the last one has the marker bit.
  /// Returns an empty array for an empty frame.
  /// - Parameter isKeyFrame: Whether the frame refers to no other.
  public mutating func packetize(_ frame: [UInt8], isKeyFrame: Bool) -> [[UInt8]] {
    guard !frame.isEmpty else { return [] }
    let room = maximumPayloadSize - Self.descriptorSize
    let count = (frame.count + room - 1) / room
    var payloads: [[UInt8]] = []
    payloads.reserveCapacity(count)
    var position = 0
    for index in 0..<count {
      let end = frame.count * (index + 1) / count
      // I, P, B and E.
      var flags: UInt8 = isKeyFrame ? 0x80 : 0xc0
      if index == 0 { flags |= 0x08 }
      if index == count - 1 { flags |= 0x04 }
      var payload = [flags, 0x80 | UInt8(pictureID >> 8), UInt8(truncatingIfNeeded: pictureID)]
      payload.reserveCapacity(Self.descriptorSize + end - position)
      payload.append(contentsOf: frame[position..<end])
      payloads.append(payload)
      position = end
    }
    pictureID = (pictureID + 1) & 0x7fff
    return payloads
  }
}
