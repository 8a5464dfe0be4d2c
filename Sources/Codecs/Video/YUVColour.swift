/// A colour in BT.601 limited range.
public struct YUVColour: Sendable, Hashable {
  /// Brightness, 16 (black) … 235 (white).
  public var y: UInt8
  /// Blue difference, 16…240; 128 is grey.
  public var u: UInt8
  /// Red difference, 16…240; 128 is grey.
  public var v: UInt8

  /// Values outside the ranges are drawn as they are.
  public init(y: UInt8, u: UInt8, v: UInt8) {
    self.y = y
    self.u = u
    self.v = v
  }

  /// Brightness 16.
  public static let black = YUVColour(y: 16, u: 128, v: 128)
  /// Brightness 235.
  public static let white = YUVColour(y: 235, u: 128, v: 128)
}

extension YUVColour {
  /// From red, green and blue, each 0…255.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    let (r, g, b) = (Int(red), Int(green), Int(blue))
    self.init(
      y: UInt8(clamping: (66 * r + 129 * g + 25 * b + 128) >> 8 + 16),
      u: UInt8(clamping: (-38 * r - 74 * g + 112 * b + 128) >> 8 + 128),
      v: UInt8(clamping: (112 * r - 94 * g - 18 * b + 128) >> 8 + 128))
  }

  /// From "#rrggbb", as in HTML; nil for anything else.
  public init?(hex text: some StringProtocol) {
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20 }),
      let number = UInt32(String(text.dropFirst()), radix: 16)
    else { return nil }
    self.init(
      red: UInt8(truncatingIfNeeded: number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
      blue: UInt8(truncatingIfNeeded: number))
  }
}
