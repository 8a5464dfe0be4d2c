/// The fields of an H.264 sequence parameter set (ITU-T H.264 §7.3.2.1.1) that metadata and the decoder's configuration need.
public struct SequenceParameters: Hashable, Sendable {
  /// Pixels after cropping.
  public var width: Int
  public var height: Int
  /// 0 for grey, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  public var chromaFormat: UInt8
  /// Bits per sample: 8…14.
  public var lumaDepth: UInt8
  public var chromaDepth: UInt8

  /// Returns nil if the NAL unit is not an SPS, is truncated, or describes impossible pictures.
  public init?(parsing unit: [UInt8]) {
    guard let parsed = unit.withUnsafeBytes({ SequenceParameters(parsing: $0) }) else { return nil }
    self = parsed
  }

  /// Returns nil if the NAL unit is not an SPS, is truncated, or describes impossible pictures. Allocates nothing.
  public init?(parsing unit: UnsafeRawBufferPointer) {
    guard let header = unit.first, header & 0x1f == 7 else { return nil }
    var bits = BitReader(withoutEmulationPrevention: unit.part(from: 1))
    guard let profile = bits.read(8), bits.read(16) != nil, bits.unsigned() != nil else { return nil }
    chromaFormat = 1
    lumaDepth = 8
    chromaDepth = 8
    var separatePlanes = false
    switch profile {
    case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135:
      guard let format = bits.unsigned(), format <= 3 else { return nil }
      chromaFormat = UInt8(format)
      if format == 3 { separatePlanes = bits.read(1) == 1 }
      guard let luma = bits.unsigned(), let chroma = bits.unsigned(), luma <= 6, chroma <= 6, bits.read(1) != nil,
        Self.skipScalingMatrix(&bits, count: format == 3 ? 12 : 8)
      else { return nil }
      lumaDepth = UInt8(8 + luma)
      chromaDepth = UInt8(8 + chroma)
    default: break
    }
    guard bits.unsigned() != nil, Self.skipPictureOrder(&bits), bits.unsigned() != nil, bits.read(1) != nil,
      let columns = bits.unsigned(), let rows = bits.unsigned(), columns < 4096, rows < 4096, let framesOnly = bits.read(1)
    else { return nil }
    if framesOnly == 0 { _ = bits.read(1) }
    guard bits.read(1) != nil, let isCropped = bits.read(1) else { return nil }
    width = (Int(columns) + 1) * 16
    height = (Int(rows) + 1) * 16 * (framesOnly == 1 ? 1 : 2)
    guard isCropped == 1 else { return }
    guard let left = bits.unsigned(), let right = bits.unsigned(), let top = bits.unsigned(), let bottom = bits.unsigned()
    else {
      return nil
    }
    let hasChroma = chromaFormat != 0 && !separatePlanes
    let unitWidth = hasChroma && chromaFormat != 3 ? 2 : 1
    let unitHeight = (hasChroma && chromaFormat == 1 ? 2 : 1) * (framesOnly == 1 ? 1 : 2)
    width -= (Int(left) + Int(right)) * unitWidth
    height -= (Int(top) + Int(bottom)) * unitHeight
    guard width > 0, height > 0 else { return nil }
  }

  private static func skipScalingMatrix(_ bits: inout BitReader, count: Int) -> Bool {
    guard let isPresent = bits.read(1) else { return false }
    guard isPresent == 1 else { return true }
    for list in 0..<count {
      guard let hasList = bits.read(1) else { return false }
      guard hasList == 1 else { continue }
      var last = 8
      var next = 8
      for _ in 0..<(list < 6 ? 16 : 64) {
        if next != 0 {
          guard let delta = bits.signed(), (-128...127).contains(delta) else { return false }
          next = (last + Int(delta) + 256) % 256
        }
        last = next == 0 ? last : next
      }
    }
    return true
  }

  private static func skipPictureOrder(_ bits: inout BitReader) -> Bool {
    guard let type = bits.unsigned() else { return false }
    switch type {
    case 0: return bits.unsigned() != nil
    case 1:
      guard bits.read(1) != nil, bits.signed() != nil, bits.signed() != nil, let count = bits.unsigned(), count <= 255 else {
        return false
      }
      for _ in 0..<count {
        guard bits.signed() != nil else { return false }
      }
      return true
    default: return true
    }
  }
}
