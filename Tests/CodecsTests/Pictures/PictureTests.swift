import RoomCodecs
import Testing

@Suite("Pictures from PNG and JPEG files")
struct PictureTests {
  private static let red = YUVColour(red: 255, green: 0, blue: 0)
  private static let green = YUVColour(red: 0, green: 255, blue: 0)
  private static let blue = YUVColour(red: 0, green: 0, blue: 255)

  private func colour(_ picture: Picture, _ x: Int, _ y: Int) -> YUVColour {
    picture.frame.withPlanes { planes in
      let chroma = y / 2 * planes.chromaStride + x / 2
      return YUVColour(y: planes.y[y * planes.yStride + x], u: planes.u[chroma], v: planes.v[chroma])
    }
  }

  private func isNear(_ a: YUVColour, _ b: YUVColour, by distance: Int = 2) -> Bool {
    abs(Int(a.y) - Int(b.y)) <= distance && abs(Int(a.u) - Int(b.u)) <= distance && abs(Int(a.v) - Int(b.v)) <= distance
  }

  /// Returns a picture of 8x4: the left half in one pixel value, the right half in another.
  private func halves(_ colour: PNGWriter.Colour, _ depth: UInt8, _ left: [UInt8], _ right: [UInt8]) -> PNGWriter {
    let row = (0..<4).flatMap { _ in left } + (0..<4).flatMap { _ in right }
    return PNGWriter(width: 8, height: 4, colour: colour, depth: depth, rows: Array(repeating: row, count: 4))
  }

  @Test("PNG: red and blue, with 8 and 16 bits")
  func rgb() throws {
    for png in [
      halves(.rgb, 8, [255, 0, 0], [0, 0, 255]), halves(.rgb, 16, [255, 255, 0, 0, 0, 0], [0, 0, 0, 0, 255, 255]),
    ] {
      let picture = try Picture(decoding: png.file)
      #expect(picture.width == 8 && picture.height == 4 && picture.alpha == nil)
      #expect(isNear(colour(picture, 1, 1), Self.red) && isNear(colour(picture, 6, 3), Self.blue))
    }
  }

  @Test("PNG: transparency is kept, with 8 and 16 bits, in colour and in grey")
  func transparency() throws {
    for png in [
      halves(.rgba, 8, [255, 0, 0, 200], [0, 0, 255, 0]),
      halves(.rgba, 16, [255, 255, 0, 0, 0, 0, 200, 1], [0, 0, 0, 0, 255, 255, 0, 0]),
    ] {
      let picture = try Picture(decoding: png.file)
      #expect(picture.alpha == (0..<32).map { $0 % 8 < 4 ? 200 : 0 })
      #expect(isNear(colour(picture, 1, 1), Self.red))
    }
    for png in [halves(.greyAlpha, 8, [255, 255], [0, 60]), halves(.greyAlpha, 16, [255, 255, 255, 255], [0, 0, 60, 0])] {
      let picture = try Picture(decoding: png.file)
      #expect(picture.alpha == (0..<32).map { $0 % 8 < 4 ? 255 : 60 })
      #expect(isNear(colour(picture, 1, 1), .white) && isNear(colour(picture, 6, 1), .black))
    }
  }

  @Test("PNG: grey of 1, 2, 4, 8 and 16 bits")
  func grey() throws {
    let rows: [(UInt8, [UInt8])] = [
      (1, [0b0000_1111]), (2, [0, 0xff]), (4, [0, 0, 0xff, 0xff]), (8, [0, 0, 0, 0, 255, 255, 255, 255]),
      (16, Array(repeating: 0, count: 8) + Array(repeating: 255, count: 8)),
    ]
    for (depth, row) in rows {
      let png = PNGWriter(width: 8, height: 4, colour: .grey, depth: depth, rows: Array(repeating: row, count: 4))
      let picture = try Picture(decoding: png.file)
      #expect(isNear(colour(picture, 1, 1), .black) && isNear(colour(picture, 6, 2), .white), "\(depth) bits")
    }
  }

  @Test("PNG: palettes of 1, 2, 4 and 8 bits, with and without transparency")
  func palettes() throws {
    let rows: [(UInt8, [UInt8])] = [
      (1, [0b0000_1111]), (2, [0, 0x55]), (4, [0, 0, 0x11, 0x11]), (8, [0, 0, 0, 0, 1, 1, 1, 1]),
    ]
    for (depth, row) in rows {
      var png = PNGWriter(width: 8, height: 4, colour: .palette, depth: depth, rows: Array(repeating: row, count: 4))
      png.extra = [("PLTE", [255, 0, 0, 0, 255, 0])]
      let picture = try Picture(decoding: png.file)
      #expect(picture.alpha == nil)
      #expect(isNear(colour(picture, 1, 1), Self.red) && isNear(colour(picture, 6, 2), Self.green), "\(depth) bits")
      png.extra.append(("tRNS", [255, 77]))
      #expect(try Picture(decoding: png.file).alpha == (0..<32).map { $0 % 8 < 4 ? 255 : 77 }, "\(depth) bits")
    }
  }

  @Test("PNG: a transparent colour")
  func colourKey() throws {
    var png = halves(.rgb, 8, [255, 0, 0], [0, 0, 255])
    png.extra = [("tRNS", [0, 0, 0, 0, 0, 255])]
    #expect(try Picture(decoding: png.file).alpha == (0..<32).map { $0 % 8 < 4 ? 255 : 0 })
  }

  @Test("PNG: the first picture of an animation; compressed texts are not decompressed")
  func ancillary() throws {
    var png = halves(.rgb, 8, [255, 0, 0], [0, 0, 255])
    png.extra = [
      ("acTL", [0, 0, 0, 2, 0, 0, 0, 0]),
      ("fcTL", [0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0]),
      ("zTXt", Array("bomb\0\0".utf8) + PNGWriter.stored([UInt8](repeating: 65, count: 100_000))),
      ("iCCP", [1, 2, 3]),
    ]
    let picture = try Picture(decoding: png.file)
    #expect(isNear(colour(picture, 1, 1), Self.red) && isNear(colour(picture, 6, 3), Self.blue))
  }

  @Test(
    "JPEG: luma and chroma are in limited range", arguments: ["baseline", "progressive", "4:4:4", "RGB", "4:4:0"])
  func jpeg(_ kind: String) throws {
    let files = [
      "baseline": JPEGSamples.baseline, "progressive": JPEGSamples.progressive, "4:4:4": JPEGSamples.fullColour,
      "RGB": JPEGSamples.rgb, "4:4:0": JPEGSamples.tall,
    ]
    let picture = try Picture(decoding: files[kind] ?? [])
    #expect(picture.width == 48 && picture.height == 32 && picture.alpha == nil)
    for (x, y, expected) in [(6, 4, Self.red), (40, 4, Self.green), (6, 26, Self.blue), (40, 26, .white)] {
      #expect(isNear(colour(picture, x, y), expected, by: 6), "\(x),\(y): \(colour(picture, x, y)), not \(expected)")
    }
  }

  @Test("JPEG: grey")
  func greyJPEG() throws {
    let picture = try Picture(decoding: JPEGSamples.grey)
    for (x, y, shade) in [(6, 4, 16), (40, 4, 89), (6, 26, 162), (40, 26, 235)] as [(Int, Int, UInt8)] {
      #expect(isNear(colour(picture, x, y), YUVColour(y: shade, u: 128, v: 128)))
    }
  }

  @Test("JPEG: a picture is rotated according to its orientation", arguments: 1...8)
  func turned(orientation: Int) throws {
    var file = JPEGSamples.turned
    // The tag's value: six bytes after the two bytes of the tag itself, which are 0x0112 of type 3.
    let place = try #require(file.indices.first { file[$0...].starts(with: [0x12, 0x01, 0x03, 0x00]) })
    file[place + 8] = UInt8(orientation)
    let picture = try Picture(decoding: file)
    #expect(orientation < 5 ? picture.width == 48 && picture.height == 32 : picture.width == 32 && picture.height == 48)
    // The colours at the top left, top right, bottom left and bottom right.
    let (red, green, blue, white) = (Self.red, Self.green, Self.blue, YUVColour.white)
    let expected = [
      1: [red, green, blue, white], 2: [green, red, white, blue], 3: [white, blue, green, red], 4: [blue, white, red, green],
      5: [red, blue, green, white], 6: [blue, red, white, green], 7: [white, green, blue, red], 8: [green, white, red, blue],
    ]
    for (index, wanted) in (expected[orientation] ?? []).enumerated() {
      let (x, y) = (index % 2 == 0 ? 6 : picture.width - 7, index / 2 == 0 ? 6 : picture.height - 7)
      #expect(isNear(colour(picture, x, y), wanted, by: 6), "quarter \(index)")
    }
  }

  @Test("scaling keeps transparency, and hidden colours stay hidden")
  func scaled() throws {
    // A red disc on transparent green.
    let side = 64
    let pixels = (0..<side * side).flatMap { place -> [UInt8] in
      let (x, y) = (place % side - side / 2, place / side - side / 2)
      return x * x + y * y < 24 * 24 ? [255, 0, 0, 255] : [0, 255, 0, 0]
    }
    let picture = try Picture(rgba: pixels, width: side, height: side)
    for size in [(32, 32), (17, 23), (5, 3), (200, 100), (64, 1)] {
      let scaled = try picture.scaled(width: size.0, height: size.1)
      let alpha = try #require(scaled.alpha)
      #expect(scaled.width == size.0 && scaled.height == size.1 && alpha.count == size.0 * size.1)
      for y in 0..<size.1 {
        for x in 0..<size.0 where alpha[y * size.0 + x] > 40 {
          #expect(isNear(colour(scaled, x, y), Self.red, by: 4), "\(size): \(x),\(y)")
        }
      }
      #expect(alpha[size.1 / 2 * size.0 + size.0 / 2] > 160)
      if size.0 > 8 && size.1 > 8 { #expect(alpha[0] == 0) }
    }
    #expect(throws: CodecError.self) { try picture.scaled(width: 0, height: 4) }
    let opaque = try Picture(decoding: JPEGSamples.baseline).scaled(width: 24, height: 16)
    #expect(opaque.width == 24 && opaque.alpha == nil && isNear(colour(opaque, 3, 3), Self.red, by: 6))
  }

  @Test("black, white and red in limited range")
  func limited() {
    #expect(YUVColour(red: 0, green: 0, blue: 0) == .black && YUVColour(red: 255, green: 255, blue: 255) == .white)
    #expect(isNear(Self.red, YUVColour(y: 81, u: 90, v: 240)))
  }
}
