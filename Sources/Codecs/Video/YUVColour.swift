/// A colour in BT.601 limited range.
public struct YUVColour: Sendable, Hashable {
  /// Luma, 16 (black) … 235 (white).
  public var y: UInt8
  /// Blue-difference chroma, 16…240; 128 is grey.
  public var u: UInt8
  /// Red-difference chroma, 16…240; 128 is grey.
  public var v: UInt8

  /// Values out of range are drawn unchanged.
  public init(y: UInt8, u: UInt8, v: UInt8) {
    self.y = y
    self.u = u
    self.v = v
  }

  /// Black: luma 16.
  public static let black = YUVColour(y: 16, u: 128, v: 128)
  /// White: luma 235.
  public static let white = YUVColour(y: 235, u: 128, v: 128)
}

extension YUVColour {
  /// Converts red, green and blue, each 0…255.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    let (r, g, b) = (Int(red), Int(green), Int(blue))
    self.init(
      y: UInt8(clamping: (66 * r + 129 * g + 25 * b + 128) >> 8 + 16),
      u: UInt8(clamping: (-38 * r - 74 * g + 112 * b + 128) >> 8 + 128),
      v: UInt8(clamping: (112 * r - 94 * g - 18 * b + 128) >> 8 + 128))
  }
}
