/// The code of a pixel format or of a compressed format, four ASCII characters (V4L2 `pixelformat`).
public struct FourCC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: four ASCII characters; further ones are ignored, missing ones are spaces.
  public init(_ text: String) {
    let bytes = Array((text + "    ").utf8.prefix(4))
    rawValue = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Y, U, Y and V for two pixels.
  public static let yuyv = Self("YUYV")
  /// A plane of Y, then one with U and V interleaved.
  public static let nv12 = Self("NV12")
  /// Planes of Y, U and V (I420).
  public static let yu12 = Self("YU12")
  /// A JPEG file for each picture.
  public static let mjpeg = Self("MJPG")

  public var description: String {
    String(
      decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) }.map { (32..<127).contains($0) ? $0 : 63 },
      as: UTF8.self
    ).trimmingSuffix(" ")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self[...]
    while text.last == character { text.removeLast() }
    return String(text)
  }
}
