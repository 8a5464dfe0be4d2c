/// Splits AV1 temporal units in low-overhead format into payloads (RTP Payload Format for AV1 §4.4, §5).
///
/// Delimiters, tile lists and padding are left out, and so are the sizes in OBUs: the payloads state them.
public struct AV1Packetizer: Sendable {
  /// W counts up to three OBUs in a payload.
  private static let mostUnits = 3
  /// The aggregation header, and the lengths of all OBUs except the last.
  private static let overhead = 1 + 2 * 2

  /// The maximum payload size in bytes.
  public let maximumPayloadSize: Int

  /// - Parameter maximumPayloadSize: bytes; clamped to 8…16,000.
  public init(maximumPayloadSize: Int = 1100) { self.maximumPayloadSize = min(max(8, maximumPayloadSize), 16_000) }

  /// Returns the payloads of one temporal unit, in order and of nearly equal size. The packet of the last one has the marker
  /// bit. Returns an empty array for data that is not a temporal unit.
  public func packetize(_ unit: [UInt8]) -> [[UInt8]] {
    guard let (units, startsSequence) = Self.units(of: unit), !units.isEmpty else { return [] }
    let total = units.reduce(0) { $0 + $1.count }
    let room = maximumPayloadSize - Self.overhead
    let count = (total + room - 1) / room
    let target = (total + count - 1) / count
    var payloads: [[UInt8]] = []
    var parts: [ArraySlice<UInt8>] = []
    var size = 0
    var continues = false
    func write(isContinued: Bool) {
      // Z, Y, W and N.
      var payload = [(continues ? 0x80 : 0) | (isContinued ? 0x40 : 0) | UInt8(parts.count) << 4]
      if payloads.isEmpty, startsSequence { payload[0] |= 0x08 }
      payload.reserveCapacity(size + Self.overhead)
      for (index, part) in parts.enumerated() {
        if index < parts.count - 1 { AV1.append(part.count, to: &payload) }
        payload.append(contentsOf: part)
      }
      payloads.append(payload)
      (parts, size, continues) = ([], 0, isContinued)
    }
    for unit in units {
      var rest = unit[...]
      while !rest.isEmpty {
        let part = rest.prefix(target - size)
        rest = rest.dropFirst(part.count)
        parts.append(part)
        size += part.count
        if size == target || parts.count == Self.mostUnits { write(isContinued: !rest.isEmpty) }
      }
    }
    if !parts.isEmpty { write(isContinued: false) }
    return payloads
  }

  /// Returns the OBUs to send, without sizes, and whether they start a coded video sequence: a key frame after its sequence
  /// header. Returns nil if an OBU does not end within the data.
  private static func units(of data: [UInt8]) -> (units: [[UInt8]], startsSequence: Bool)? {
    var units: [[UInt8]] = []
    var hasSequenceHeader = false
    var beginsWithKeyFrame: Bool?
    var position = 0
    while position < data.count {
      let head = data[position]
      // The forbidden bit must be 0.
      guard head & 0x80 == 0 else { return nil }
      let headLength = head & 0x04 != 0 ? 2 : 1
      guard data.count - position >= headLength else { return nil }
      var start = position + headLength
      var end = data.count
      if head & 0x02 != 0 {
        guard let size = data.withUnsafeBytes({ AV1.number(in: $0, at: start) }) else { return nil }
        start += size.length
        guard size.value <= data.count - start else { return nil }
        end = start + size.value
      }
      let type = head >> 3 & 0xf
      switch type {
      case AV1.temporalDelimiter, AV1.tileList, AV1.padding: break
      default:
        if type == AV1.sequenceHeader { hasSequenceHeader = true }
        // show_existing_frame, then frame_type, whose value 0 is KEY_FRAME (AV1 §5.9.2).
        if type == AV1.frame || type == AV1.frameHeader, beginsWithKeyFrame == nil, end > start {
          beginsWithKeyFrame = data[start] & 0xe0 == 0
        }
        units.append([head & ~0x02] + data[(position + 1)..<(position + headLength)] + data[start..<end])
      }
      position = end
    }
    return (units, hasSequenceHeader && beginsWithKeyFrame == true)
  }
}
