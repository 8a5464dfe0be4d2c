import RoomCFreeType

/// The bitmap of one letter at one size.
struct Glyph {
  /// The coverage of each pixel, row by row.
  var coverage: [UInt8] = []
  var width = 0
  var height = 0
  /// The distance from the pen to the left edge in pixels.
  var left = 0
  /// The distance from the baseline up to the top edge in pixels.
  var top = 0
  /// The advance to the next letter in pixels.
  var advance = 0
}

/// A font file at one size, loaded by FreeType. One owner at a time.
final class Font {
  /// The maximum number of cached glyphs; the texts of live pictures have far fewer.
  private static let maximumGlyphs = 512

  /// The height above the baseline in pixels.
  let ascent: Int
  /// The depth below the baseline in pixels.
  let descent: Int

  private var library: FT_Library?
  private var face: FT_Face?
  private var glyphs: [FT_UInt: Glyph] = [:]

  /// - Throws: ``CodecError/file(path:reason:)``
  init(path: String, size: Int) throws(CodecError) {
    guard FT_Init_FreeType(&library) == 0 else { throw .unavailable(codec: "FreeType", reason: "initialization failed") }
    guard FT_New_Face(library, path, 0, &face) == 0, let face else {
      FT_Done_FreeType(library)
      throw .file(path: path, reason: "the file is missing or not a font")
    }
    guard FT_Set_Pixel_Sizes(face, 0, FT_UInt(clamping: size)) == 0, let metrics = face.pointee.size?.pointee.metrics else {
      FT_Done_Face(face)
      FT_Done_FreeType(library)
      throw .file(path: path, reason: "the font does not support a size of \(size) pixels")
    }
    // 26.6 fixed point. Clamped, because a font file may contain any value.
    ascent = min(max(0, Int(metrics.ascender + 63) >> 6), size * 4)
    descent = min(max(0, Int(63 - metrics.descender) >> 6), size * 4)
  }

  deinit {
    FT_Done_Face(face)
    FT_Done_FreeType(library)
  }

  func has(_ letter: Unicode.Scalar) -> Bool { FT_Get_Char_Index(face, FT_ULong(letter.value)) != 0 }

  /// Returns a letter's glyph, or the font's missing-glyph box.
  func glyph(of letter: Unicode.Scalar) -> Glyph {
    let index = FT_Get_Char_Index(face, FT_ULong(letter.value))
    if let glyph = glyphs[index] { return glyph }
    if glyphs.count >= Self.maximumGlyphs { glyphs = [:] }
    let glyph = render(index)
    glyphs[index] = glyph
    return glyph
  }

  /// Returns the kerning of two letters in pixels.
  func kerning(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Int {
    var vector = FT_Vector()
    let (a, b) = (FT_Get_Char_Index(face, FT_ULong(left.value)), FT_Get_Char_Index(face, FT_ULong(right.value)))
    guard FT_Get_Kerning(face, a, b, FT_KERNING_DEFAULT.rawValue, &vector) == 0 else { return 0 }
    return Int(vector.x + 32) >> 6
  }

  private func render(_ index: FT_UInt) -> Glyph {
    guard FT_Load_Glyph(face, index, FT_Int32(FT_LOAD_RENDER)) == 0, let slot = face?.pointee.glyph?.pointee else {
      return Glyph()
    }
    var glyph = Glyph()
    glyph.left = Int(slot.bitmap_left)
    glyph.top = Int(slot.bitmap_top)
    glyph.advance = Int(slot.advance.x + 32) >> 6
    let bitmap = slot.bitmap
    let (width, height, pitch) = (Int(bitmap.width), Int(bitmap.rows), Int(bitmap.pitch))
    guard let buffer = bitmap.buffer, pitch > 0, width > 0, width * height <= 1 << 22 else { return glyph }
    let isBits = UInt32(bitmap.pixel_mode) == UInt32(FT_PIXEL_MODE_MONO.rawValue)
    guard isBits || UInt32(bitmap.pixel_mode) == UInt32(FT_PIXEL_MODE_GRAY.rawValue),
      pitch >= (isBits ? (width + 7) / 8 : width)
    else { return glyph }
    glyph.width = width
    glyph.height = height
    glyph.coverage = (0..<width * height).map { place in
      let row = buffer + place / width * pitch
      let x = place % width
      return isBits ? (row[x / 8] >> (7 - UInt8(x % 8)) & 1) * 255 : row[x]
    }
    return glyph
  }
}
