public import RoomRTP

/// A moving test picture with a clock, both as digits and for machines (``ClockBlocks``).
public struct TestPattern: Sendable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The background colour, whose chroma distinguishes sources.
  public let colour: YUVColour

  /// Clearly different background colours, used in turn by ``TestPattern/init(width:height:index:)``.
  public static let colours = [
    YUVColour(y: 110, u: 170, v: 100), YUVColour(y: 110, u: 100, v: 170), YUVColour(y: 110, u: 90, v: 95),
    YUVColour(y: 110, u: 170, v: 170), YUVColour(y: 110, u: 85, v: 140), YUVColour(y: 110, u: 140, v: 80),
  ]

  /// - Throws: ``CodecError/unsupportedSize(width:height:)``. The minimum size is 64x64.
  public init(width: Int, height: Int, colour: YUVColour = Self.colours[0]) throws(CodecError) {
    guard width >= 64, height >= 64, VideoFrame.isSupported(width: width, height: height) else {
      throw .unsupportedSize(width: width, height: height)
    }
    self.width = width
    self.height = height
    self.colour = colour
  }

  /// Creates a pattern with the `index`th of ``colours``, modulo their number.
  public init(width: Int, height: Int, index: Int) throws(CodecError) {
    let place = Int(index.magnitude % UInt(Self.colours.count))
    try self.init(width: width, height: height, colour: Self.colours[place])
  }

  /// Returns a picture.
  /// - Parameters:
  ///   - number: The frame number, which moves the picture.
  ///   - milliseconds: The time shown by the clock in ms since midnight or 1970, as time of day.
  ///   - timestamp: The timestamp of the frame.
  public func frame(number: Int, milliseconds: Int64, timestamp: MediaTime) throws(CodecError) -> VideoFrame {
    var frame = try VideoFrame(width: width, height: height, timestamp: timestamp)
    frame.fill(colour)
    frame.withMutablePlanes { planes in
      drawBand(number, in: planes)
      drawBox(number, in: planes)
      drawDigits(milliseconds, in: planes)
      ClockBlocks.draw(
        .init(milliseconds: UInt64(bitPattern: milliseconds), frame: UInt16(truncatingIfNeeded: number)), in: planes)
    }
    return frame
  }

  /// Draws a brighter band that moves down the picture.
  private func drawBand(_ number: Int, in planes: MutableI420Planes) {
    let bandHeight = height / 6
    let y = (number &* 2) % height
    let top = y < 0 ? y + height : y
    var bright = colour
    bright.y = colour.y + 40
    planes.fill(x: 0, y: top, width: width, height: bandHeight, bright)
    planes.fill(x: 0, y: top - height, width: width, height: bandHeight, bright)
  }

  /// Draws a box that bounces along the lower third.
  private func drawBox(_ number: Int, in planes: MutableI420Planes) {
    let side = max(8, min(width, height) / 5)
    let x = Self.bounce(number &* 3, in: width - side)
    let y = height * 2 / 3 + Self.bounce(number, in: max(1, height / 3 - side))
    planes.fill(x: x, y: y, width: side, height: side, YUVColour(y: 200, u: 255 - colour.u, v: 255 - colour.v))
  }

  private func drawDigits(_ milliseconds: Int64, in planes: MutableI420Planes) {
    let text = Self.timeOfDay(milliseconds)
    let dot = max(1, width * 3 / 4 / Digits.size(of: text, dot: 1).width)
    let size = Digits.size(of: text, dot: dot)
    let x = (width - size.width) / 2
    let y = height * 2 / 5 - size.height / 2
    planes.fill(x: x - dot, y: y - dot, width: size.width + 2 * dot, height: size.height + 2 * dot, .black)
    Digits.draw(text, x: x, y: y, dot: dot, .white, in: planes)
  }

  static func timeOfDay(_ milliseconds: Int64) -> String {
    let day: Int64 = 86_400_000
    let time = ((milliseconds % day) + day) % day
    func padded(_ value: Int64, _ digits: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return "\(padded(time / 3_600_000, 2)):\(padded(time / 60_000 % 60, 2)):\(padded(time / 1000 % 60, 2))."
      + padded(time % 1000, 3)
  }

  private static func bounce(_ position: Int, in range: Int) -> Int {
    guard range > 0 else { return 0 }
    let phase = Int(position.magnitude % UInt(2 * range))
    return phase < range ? phase : 2 * range - phase
  }
}
