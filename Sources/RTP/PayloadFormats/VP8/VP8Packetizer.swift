/// Splits VP8 frames into payloads with 15-bit picture ids (RFC 7741).
public struct VP8Packetizer: Sendable {
  /// The maximum payload size in bytes, including the descriptor.
  public let maximumPayloadSize: Int
  /// The picture id of the next frame, 0 … 32,767.
  public private(set) var pictureID: UInt16

  /// Creates a packetizer.
  /// - Parameters:
  ///   - maximumPayloadSize: bytes; raised to 5 if smaller.
  ///   - pictureID: the id of the first frame; RFC 7741 recommends a random one.
  public init(maximumPayloadSize: Int = 1100, pictureID: UInt16 = 0) {
    self.maximumPayloadSize = max(5, maximumPayloadSize)
    self.pictureID = pictureID & 0x7fff
  }

  /// Returns the payloads of one frame, in order and of nearly equal size. The packet of the last one has the marker bit.
  /// Returns an empty array for an empty frame.
  public mutating func packetize(_ frame: [UInt8]) -> [[UInt8]] {
    guard !frame.isEmpty else { return [] }
    let room = maximumPayloadSize - 4
    let count = (frame.count + room - 1) / room
    var payloads: [[UInt8]] = []
    payloads.reserveCapacity(count)
    var position = 0
    for index in 0..<count {
      let end = frame.count * (index + 1) / count
      var payload: [UInt8] = [
        index == 0 ? 0x90 : 0x80, 0x80, 0x80 | UInt8(pictureID >> 8), UInt8(truncatingIfNeeded: pictureID),
      ]
      payload.reserveCapacity(4 + end - position)
      payload.append(contentsOf: frame[position..<end])
      payloads.append(payload)
      position = end
    }
    pictureID = (pictureID + 1) & 0x7fff
    return payloads
  }
}
