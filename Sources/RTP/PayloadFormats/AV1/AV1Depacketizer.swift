/// Joins the payloads of one AV1 temporal unit, which are passed in order and without a gap. The output is the low-overhead
/// format that decoders read (AV1 §5): a temporal delimiter first, and a size in each OBU (RTP Payload Format for AV1 §4).
public struct AV1Depacketizer: Sendable {
  private static let delimiter: [UInt8] = [0x12, 0x00]

  private var data: [UInt8] = []
  /// The OBU that continues in the next packet or is being assembled.
  private var unit: [UInt8] = []
  private var inUnit = false
  private var hasSequenceHeader = false
  /// Whether the first frame header announces a key frame; nil before that header.
  private var beginsWithKeyFrame: Bool?

  /// Creates an empty depacketizer.
  public init() {}

  /// Appends the next payload. Returns false if it cannot belong to the temporal unit; the unit is then lost.
  public mutating func append(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard payload.count >= 2 else { return false }
    let head = payload[0]
    let continues = head & 0x80 != 0
    let isContinued = head & 0x40 != 0
    let count = Int(head >> 4 & 3)
    guard continues == inUnit else { return false }
    var position = 1
    var index = 1
    while position < payload.count {
      var length = payload.count - position
      // If the OBU count is known, the last OBU has no length field.
      if count == 0 || index < count {
        guard let number = AV1.number(in: payload, at: position) else { return false }
        position += number.length
        guard number.value <= payload.count - position else { return false }
        length = number.value
      }
      unit.append(contentsOf: payload.part(position, length))
      position += length
      let isLast = count == 0 ? position == payload.count : index == count
      inUnit = isLast && isContinued
      if !inUnit { guard endUnit() else { return false } }
      if isLast { return position == payload.count }
      index += 1
    }
    // Fewer OBUs than announced.
    return false
  }

  /// Returns the temporal unit and resets the depacketizer; nil if nothing was appended or an OBU has no end.
  public mutating func take() -> (data: [UInt8], isKeyFrame: Bool)? {
    defer { reset() }
    guard !data.isEmpty, !inUnit else { return nil }
    return (Self.delimiter + data, hasSequenceHeader && beginsWithKeyFrame == true)
  }

  /// Discards the appended payloads.
  public mutating func reset() { self = AV1Depacketizer() }

  /// Appends the OBU, with its size, to the temporal unit.
  private mutating func endUnit() -> Bool {
    defer { unit.removeAll(keepingCapacity: true) }
    guard let head = unit.first else { return true }
    let type = head >> 3 & 0xf
    // The forbidden bit must be 0.
    guard head & 0x80 == 0 else { return false }
    let headLength = head & 0x04 != 0 ? 2 : 1
    guard unit.count >= headLength else { return false }
    var start = headLength
    var end = unit.count
    if head & 0x02 != 0 {
      guard let size = unit.withUnsafeBytes({ AV1.number(in: $0, at: headLength) }) else { return false }
      start += size.length
      guard size.value <= end - start else { return false }
      end = start + size.value
    }
    switch type {
    case AV1.temporalDelimiter, AV1.tileList, AV1.padding: return true
    case AV1.sequenceHeader: hasSequenceHeader = true
    case AV1.frame, AV1.frameHeader:
      guard beginsWithKeyFrame == nil, end > start else { break }
      // show_existing_frame, then frame_type, whose value 0 is KEY_FRAME (AV1 §5.9.2).
      beginsWithKeyFrame = unit[start] & 0xe0 == 0
    default: break
    }
    data.append(head | 0x02)
    data.append(contentsOf: unit[1..<headLength])
    AV1.append(end - start, to: &data)
    data.append(contentsOf: unit[start..<end])
    return true
  }
}
