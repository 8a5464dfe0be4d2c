/// A machine-readable clock in a picture: two rows of 32 black or white cells over its top eighth.
///
/// The 64 bits are, most significant first: 40 bits of milliseconds, 16 of frame number, 8 of CRC. Cells are placed relative to
/// the picture size and read at their centres, so that the clock survives encoding and scaling down to a width of 176 pixels.
public enum ClockBlocks {
  /// The values read from a picture.
  public struct Reading: Sendable, Hashable {
    /// The sender's clock in ms, modulo 2^40 (34 years).
    public var milliseconds: UInt64
    /// The frame number, modulo 65 536.
    public var frame: UInt16

    /// Higher bits of `milliseconds` are discarded.
    public init(milliseconds: UInt64, frame: UInt16) {
      self.milliseconds = milliseconds & (1 << 40 - 1)
      self.frame = frame
    }
  }

  private static let columns = 32
  private static let rows = 2
  /// The picture height divided by the height of a row.
  private static let rowsPerPicture = 16

  /// Draws the clock over the top eighth of the picture.
  public static func draw(_ reading: Reading, in planes: MutableI420Planes) {
    let payload = reading.milliseconds << 16 | UInt64(reading.frame)
    let bits = payload << 8 | UInt64(crc8(payload))
    for index in 0..<columns * rows {
      let cell = cell(index, width: planes.width, height: planes.height)
      let isSet = bits >> UInt64(columns * rows - 1 - index) & 1 == 1
      planes.fill(x: cell.x, y: cell.y, width: cell.width, height: cell.height, isSet ? .white : .black)
    }
  }

  /// Reads the clock. Returns nil if the picture contains no valid one.
  public static func read(_ frame: VideoFrame) -> Reading? {
    guard frame.width >= columns, frame.height >= rowsPerPicture else { return nil }
    return frame.withPlanes { planes in
      var bits: UInt64 = 0
      for index in 0..<columns * rows {
        let brightness = brightness(of: cell(index, width: planes.width, height: planes.height), in: planes)
        guard brightness < 100 || brightness > 150 else { return nil }
        bits = bits << 1 | (brightness > 125 ? 1 : 0)
      }
      let payload = bits >> 8
      guard crc8(payload) == UInt8(truncatingIfNeeded: bits) else { return nil }
      return Reading(milliseconds: payload >> 16, frame: UInt16(truncatingIfNeeded: payload))
    }
  }

  private struct Cell {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  private static func cell(_ index: Int, width: Int, height: Int) -> Cell {
    let column = index % columns
    let row = index / columns
    let x = column * width / columns
    let y = row * height / rowsPerPicture
    return Cell(x: x, y: y, width: (column + 1) * width / columns - x, height: (row + 1) * height / rowsPerPicture - y)
  }

  /// Returns the mean of the cell's middle half in each direction.
  private static func brightness(of cell: Cell, in planes: I420Planes) -> Int {
    let left = cell.x + cell.width / 4
    let right = cell.x + max(cell.width / 4 + 1, cell.width * 3 / 4)
    let bottom = cell.y + max(cell.height / 4 + 1, cell.height * 3 / 4)
    var sum = 0
    var count = 0
    var y = cell.y + cell.height / 4
    // A plain loop, because this runs for every picture, also in unoptimized tests.
    while y < bottom {
      var x = left
      while x < right {
        sum += Int(planes.y[y * planes.yStride + x])
        x += 1
      }
      count += right - left
      y += 1
    }
    return sum / max(1, count)
  }

  /// CRC-8 (polynomial 0x07, initial value 0xff) over the low seven bytes.
  private static func crc8(_ payload: UInt64) -> UInt8 {
    var crc: UInt8 = 0xff
    for shift in stride(from: 48, through: 0, by: -8) {
      crc ^= UInt8(truncatingIfNeeded: payload >> UInt64(shift))
      for _ in 0..<8 { crc = crc & 0x80 != 0 ? crc << 1 ^ 0x07 : crc << 1 }
    }
    return crc
  }
}
