import RoomCodecs
import RoomStudio
import RoomTestSupport
import Testing

@Suite("Lookup tables")
struct LookupTests {
  /// The identity with two values along each side.
  static let cube = """
    # a comment
    TITLE "none"
    LUT_3D_SIZE 2
    DOMAIN_MIN 0 0 0
    DOMAIN_MAX 1 1 1

    0 0 0
    1 0 0
    0 1 0
    1 1 0
    0 0 1
    1.0 0.0 1e0
    0 1 1
    1 1 1

    """

  static func filtered(_ table: LookupTable, _ frame: VideoFrame, strength: Double = 1) -> VideoFrame {
    var result = frame
    LookupFilter(table, strength: strength).apply(to: &result)
    return result
  }

  @Test("the unchanged colours leave every picture as it is")
  func identity() throws {
    var random = SeededGenerator(seed: 7)
    var frame = try VideoFrame(width: 65, height: 33)
    frame.withMutablePlanes { planes in
      for place in 0..<planes.yStride * planes.height { planes.y[place] = .random(in: 0...255, using: &random) }
      for place in 0..<planes.chromaStride * planes.chromaHeight {
        planes.u[place] = .random(in: 0...255, using: &random)
        planes.v[place] = .random(in: 0...255, using: &random)
      }
    }
    #expect(Self.filtered(try LookupTable(cube: Array(Self.cube.utf8)), frame).psnr(to: frame) == 128)
  }

  @Test("a table changes colours as it says")
  func colours() throws {
    // Red and blue swapped.
    let swapped = LookupTable { SIMD3($0.z, $0.y, $0.x) }
    #expect(Self.filtered(swapped, try .of(.red, 32, 32)).isColour(.blue, 9, 9, within: 5))
    #expect(Self.filtered(swapped, try .of(.blue, 33, 31)).isColour(.red, 32, 30, within: 5))
    #expect(Self.filtered(swapped, try .of(.green, 32, 32)).isColour(.green, 9, 9, within: 5))
    let grey = LookupTable { SIMD3(repeating: 0.299 * $0.x + 0.587 * $0.y + 0.114 * $0.z) }
    let picture = Self.filtered(grey, try .of(.skin, 32, 32))
    #expect(
      picture.meanColour == YUVColour(y: YUVColour.skin.y, u: 128, v: 128)
        || picture.isColour(YUVColour(y: 150, u: 128, v: 128), 8, 8, within: 3))
    // The dither is not visible: its mean is the right colour.
    #expect(abs(Int(picture.meanColour.u) - 128) <= 1 && abs(Int(picture.meanColour.v) - 128) <= 1)
  }

  @Test("the strength mixes both")
  func strength() throws {
    let dark = LookupTable { $0 * 0 }
    let frame = try VideoFrame.of(.white, 32, 32)
    #expect(Self.filtered(dark, frame, strength: 1).isColour(.black, 9, 9))
    #expect(Self.filtered(dark, frame, strength: 0.5).isColour(YUVColour(y: 126, u: 128, v: 128), 9, 9))
    #expect(Self.filtered(dark, frame, strength: 0).psnr(to: frame) == 128)
    #expect(LookupFilter(dark, strength: 9).strength == 1 && LookupFilter(dark, strength: .nan).strength == 0)
    #expect(LookupFilter(dark).with(strength: 0.25).strength == 0.25)
  }

  @Test("the domain of a .cube file is the range of its inputs")
  func domain() throws {
    // All inputs up to 0.5 are the lower half of the table.
    let text = Self.cube.replacing("DOMAIN_MAX 1 1 1", with: "DOMAIN_MAX 2 2 2")
    let picture = Self.filtered(try LookupTable(cube: Array(text.utf8)), try .of(.white, 32, 32))
    #expect(picture.isColour(YUVColour(y: 126, u: 128, v: 128), 9, 9))
    let range = Self.cube.replacing("DOMAIN_MIN 0 0 0", with: "LUT_3D_INPUT_RANGE 0.0 2.0")
      .replacing("DOMAIN_MAX 1 1 1\n", with: "").replacing("\n", with: "\r\n")
    #expect(
      Self.filtered(try LookupTable(cube: Array(range.utf8)), try .of(.white, 32, 32)).isColour(
        YUVColour(y: 126, u: 128, v: 128), 9, 9))
  }

  @Test("both layouts of PNG files are read")
  func png() throws {
    for (width, layout) in [(64, LookupTable.PictureLayout.hald), (512, .squares)] {
      let file = Self.picture(width, layout) { [$0[0], $0[1], UInt8(255 - Int($0[2]))] }
      for table in [try LookupTable(png: file), try LookupTable(png: file, layout: layout)] {
        #expect(table.side == (width == 64 ? 16 : 64))
        // Blue inverted: black becomes blue.
        #expect(Self.filtered(table, try .of(.black, 32, 32)).isColour(.blue, 9, 9, within: 5))
        #expect(Self.filtered(table, try .of(.blue, 32, 32)).isColour(.black, 9, 9, within: 5))
      }
    }
  }

  /// Returns a PNG file of a table.
  static func picture(_ width: Int, _ layout: LookupTable.PictureLayout, _ colour: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let side = width == 64 ? 16 : 64
    var rows = [[UInt8]](repeating: [UInt8](repeating: 0, count: width * 3), count: width)
    for place in 0..<side * side * side {
      let (red, green, blue) = (place % side, place / side % side, place / (side * side))
      let (x, y) =
        layout == .hald ? (place % width, place / width) : (blue % 8 * 64 + red, blue / 8 * 64 + green)
      let bytes = colour([red, green, blue].map { UInt8($0 * 255 / (side - 1)) })
      for channel in 0..<3 { rows[y][x * 3 + channel] = bytes[channel] }
    }
    return PNGWriter(width: width, height: width, colour: .rgb, rows: rows).file
  }
}
