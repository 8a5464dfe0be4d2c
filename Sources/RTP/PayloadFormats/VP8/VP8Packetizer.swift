/// Splits VP8 frames into payloads with 15-bit picture ids (RFC 7741).
public struct VP8Packetizer: Sendable {
  /// The maximum payload size in bytes, including the descriptor.
  public let maximumPayloadSize: Int
  /// The picture id of the next frame, 0 … 32,767.
  public private(set) var pictureID: UInt16
  /// TL0PICIDX of the last frame of layer 0.
  private var level0: UInt8 = 0

  /// Creates a packetizer.
  /// - Parameters:
  ///   - maximumPayloadSize: bytes; raised to 7 if smaller.
  ///   - pictureID: the id of the first frame; RFC 7741 recommends a random one.
  public init(maximumPayloadSize: Int = 1100, pictureID: UInt16 = 0) {
    self.maximumPayloadSize = max(7, maximumPayloadSize)
    self.pictureID = pictureID & 0x7fff
  }

  /// Returns the payloads of one frame, in order and of nearly equal size. The packet of the last one has the marker bit.
  /// Returns an empty array for an empty frame.
  /// - Parameter layer: the frame's temporal layer; nil if the stream has none.
  public mutating func packetize(_ frame: [UInt8], layer: VP8TemporalLayer? = nil) -> [[UInt8]] {
    guard !frame.isEmpty else { return [] }
    if layer?.index == 0 { level0 &+= 1 }
    let descriptor = descriptor(layer)
    let room = maximumPayloadSize - descriptor.count
    let count = (frame.count + room - 1) / room
    var payloads: [[UInt8]] = []
    payloads.reserveCapacity(count)
    var position = 0
    for index in 0..<count {
      let end = frame.count * (index + 1) / count
      var payload = descriptor
      // S: the first payload starts the partition.
      if index == 0 { payload[0] |= 0x10 }
      payload.reserveCapacity(descriptor.count + end - position)
      payload.append(contentsOf: frame[position..<end])
      payloads.append(payload)
      position = end
    }
    pictureID = (pictureID + 1) & 0x7fff
    return payloads
  }

  private func descriptor(_ layer: VP8TemporalLayer?) -> [UInt8] {
    let id = [0x80 | UInt8(pictureID >> 8), UInt8(truncatingIfNeeded: pictureID)]
    guard let layer else { return [0x80, 0x80] + id }
    return [layer.isReference ? 0x80 : 0xa0, 0xe0] + id + [level0, layer.index << 6 | (layer.isSync ? 0x20 : 0)]
  }
}
