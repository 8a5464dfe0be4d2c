/// Joins the payloads of one H.264 access unit, which are passed in order and without a gap, into Annex B (RFC 6184). Supports
/// single NAL units, STAP-A and FU-A, that is, packetization modes 0 and 1.
public struct H264Depacketizer: Sendable {
  private var data: [UInt8] = []
  private var inFragment = false
  private var hasIDR = false

  /// Creates an empty depacketizer.
  public init() {}

  /// Appends the next payload. Returns false if it cannot belong to the access unit; the access unit is then lost.
  public mutating func append(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard let base = payload.baseAddress, payload.count >= 2 else { return false }
    let header = base.load8(0)
    let type = header & 0x1f
    if inFragment, type != H264.fragment { return false }
    switch type {
    case 1...23:
      beginUnit(type)
      data.append(contentsOf: payload)
      return true
    case H264.aggregation:
      return appendAggregate(payload, base)
    case H264.fragment:
      return appendFragment(payload, base, header)
    default:
      // STAP-B, MTAP and FU-B belong to the interleaved mode, which is never negotiated.
      return false
    }
  }

  private mutating func beginUnit(_ type: UInt8) {
    if type == H264.idrSlice { hasIDR = true }
    data.append(contentsOf: [0, 0, 0, 1])
  }

  private mutating func appendAggregate(_ payload: UnsafeRawBufferPointer, _ base: UnsafeRawPointer) -> Bool {
    var position = 1
    while position < payload.count {
      guard position + 3 <= payload.count else { return false }
      let size = Int(base.load16(position))
      let unit = payload.part(position + 2, size)
      guard unit.count == size, size > 0 else { return false }
      beginUnit(base.load8(position + 2) & 0x1f)
      data.append(contentsOf: unit)
      position += 2 + size
    }
    return true
  }

  private mutating func appendFragment(_ payload: UnsafeRawBufferPointer, _ base: UnsafeRawPointer, _ header: UInt8) -> Bool {
    guard payload.count >= 3 else { return false }
    let fragment = base.load8(1)
    if fragment & 0x80 != 0 {
      guard !inFragment else { return false }
      beginUnit(fragment & 0x1f)
      data.append(header & 0xe0 | fragment & 0x1f)
      inFragment = true
    } else {
      guard inFragment else { return false }
    }
    data.append(contentsOf: payload.part(from: 2))
    if fragment & 0x40 != 0 { inFragment = false }
    return true
  }

  /// Returns the access unit and resets the depacketizer; nil if nothing was appended or a fragmented unit has no end.
  public mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    defer { reset() }
    guard !data.isEmpty, !inFragment else { return nil }
    return (data, hasIDR)
  }

  /// Discards the appended payloads.
  public mutating func reset() {
    data = []
    inFragment = false
    hasIDR = false
  }
}
