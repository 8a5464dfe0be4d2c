/// Splits Annex B access units into payloads (RFC 6184): small NAL units share a STAP-A, large ones become FU-A.
public struct H264Packetizer: Sendable {
  /// The packetization-mode of `a=fmtp`.
  public enum Mode: UInt8, Sendable {
    /// 0: each NAL unit is one payload, so the encoder must keep its slices small.
    case singleUnit = 0
    /// 1: STAP-A and FU-A.
    case nonInterleaved = 1
  }

  /// The reason why an access unit cannot be packetized.
  public enum PacketizationError: Error, Equatable, Sendable {
    /// The access unit contains no NAL unit: no start code, or nothing after them.
    case noUnit
    /// A NAL unit of this size in bytes does not fit in a packet, and mode 0 does not allow splitting it.
    case unitTooLarge(Int)
  }

  /// The maximum payload size in bytes.
  public let maximumPayloadSize: Int
  /// The packetization mode that the far end supports.
  public let mode: Mode

  /// Creates a packetizer.
  /// - Parameter maximumPayloadSize: bytes; raised to 16 if smaller.
  public init(maximumPayloadSize: Int = 1100, mode: Mode = .nonInterleaved) {
    self.maximumPayloadSize = max(16, maximumPayloadSize)
    self.mode = mode
  }

  /// Returns the payloads of one access unit, in order; the packet of the last one has the marker bit. Omits delimiters,
  /// fillers and end codes, because the marker bit makes them redundant.
  public func packetize(_ accessUnit: [UInt8]) throws(PacketizationError) -> [[UInt8]] {
    let units = Self.units(of: accessUnit)
    guard !units.isEmpty else { throw .noUnit }
    var payloads: [[UInt8]] = []
    if mode == .singleUnit {
      for unit in units {
        guard unit.count <= maximumPayloadSize else { throw .unitTooLarge(unit.count) }
        payloads.append(Array(accessUnit[unit]))
      }
      return payloads
    }
    var index = 0
    while index < units.count {
      if units[index].count > maximumPayloadSize {
        fragment(accessUnit[units[index]], into: &payloads)
        index += 1
        continue
      }
      var end = index
      var size = 1
      while end < units.count, size + 2 + units[end].count <= maximumPayloadSize {
        size += 2 + units[end].count
        end += 1
      }
      if end - index >= 2 {
        payloads.append(aggregate(units[index..<end], of: accessUnit, size: size))
        index = end
      } else {
        payloads.append(Array(accessUnit[units[index]]))
        index += 1
      }
    }
    return payloads
  }

  private static func units(of accessUnit: [UInt8]) -> [Range<Int>] {
    accessUnit.withUnsafeBytes { bytes in
      AnnexB(bytes).filter { range in
        let type = bytes[range.lowerBound] & 0x1f
        return range.count >= 2 && type >= 1 && type < H264.aggregation && !(H264.accessUnitDelimiter...H264.filler ~= type)
      }
    }
  }

  private func aggregate(_ units: ArraySlice<Range<Int>>, of accessUnit: [UInt8], size: Int) -> [UInt8] {
    var payload: [UInt8] = [H264.aggregation]
    payload.reserveCapacity(size)
    for unit in units {
      let header = accessUnit[unit.lowerBound]
      // F is set if any unit sets it; NRI is the highest of all units (RFC 6184 §5.7.1).
      payload[0] |= header & 0x80
      payload[0] = payload[0] & 0x9f | max(payload[0] & 0x60, header & 0x60)
      payload.append(UInt8(truncatingIfNeeded: unit.count >> 8))
      payload.append(UInt8(truncatingIfNeeded: unit.count))
      payload.append(contentsOf: accessUnit[unit])
    }
    return payload
  }

  /// Splits a NAL unit into parts of nearly equal size, so that the packets of a frame can share one GSO message.
  private func fragment(_ unit: ArraySlice<UInt8>, into payloads: inout [[UInt8]]) {
    guard let header = unit.first else { return }
    let body = unit.dropFirst()
    let room = maximumPayloadSize - 2
    let count = (body.count + room - 1) / room
    var position = body.startIndex
    for index in 0..<count {
      let end = body.startIndex + body.count * (index + 1) / count
      var flags = header & 0x1f
      if index == 0 { flags |= 0x80 }
      if index == count - 1 { flags |= 0x40 }
      var payload: [UInt8] = [header & 0xe0 | H264.fragment, flags]
      payload.reserveCapacity(2 + end - position)
      payload.append(contentsOf: body[position..<end])
      payloads.append(payload)
      position = end
    }
  }
}
