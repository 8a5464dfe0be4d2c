/// The appearance of text.
public struct TextStyle: Sendable, Hashable {
  /// The colour of the letters.
  public var colour: YUVColour
  /// The colour of the outline, which keeps the letters readable on any picture.
  public var outline: YUVColour
  /// The outline width in pixels, 0…8; 0 for no outline.
  public var outlineWidth: Int

  /// White letters with a black outline by default.
  public init(colour: YUVColour = .white, outline: YUVColour = .black, outlineWidth: Int = 2) {
    self.colour = colour
    self.outline = outline
    self.outlineWidth = outlineWidth
  }
}

/// Renders text at one size as overlays. One owner at a time.
///
/// Letters are placed from left to right in order and are not joined, so Arabic and similar scripts are not shaped. A letter
/// missing in all fonts is a box.
public final class TextRenderer {
  /// The font sizes in pixels.
  public static let sizes = 6...256
  /// The maximum number of characters; longer texts are cut.
  public static let maximumLetters = 64
  /// The maximum width in pixels; wider texts are cut.
  public static let maximumWidth = 4096
  /// The default font, from the package fonts-dejavu-core.
  public static let standardFont = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
  /// Fonts with Chinese characters, used if installed: fonts-noto-cjk, fonts-wqy-microhei, fonts-wqy-zenhei.
  private static let chineseFonts = [
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
  ]

  /// The distance between two lines of text in pixels.
  public var lineHeight: Int { ascent + descent }

  private let fonts: [Font]
  private let ascent: Int
  private let descent: Int

  /// - Parameters:
  ///   - path: The path of a font file. If it is nil or lacks a letter, the default font and a Chinese font are used.
  ///   - size: The size in pixels, within ``sizes``.
  /// - Throws: ``CodecError/file(path:reason:)`` if there is no font, ``CodecError/invalidSetting(_:)`` for the size.
  public init(font path: String? = nil, size: Int) throws(CodecError) {
    guard Self.sizes.contains(size) else {
      throw .invalidSetting("text size must be \(Self.sizes.lowerBound)…\(Self.sizes.upperBound) pixels, not \(size)")
    }
    var fonts: [Font] = []
    if let path { fonts.append(try Font(path: path, size: size)) }
    fonts += ([Self.standardFont] + Self.chineseFonts).compactMap { try? Font(path: $0, size: size) }
    guard let first = fonts.first else {
      throw .file(
        path: Self.standardFont, reason: "no font found; install the package fonts-dejavu-core or specify a font file")
    }
    self.fonts = fonts
    ascent = first.ascent
    descent = first.descent
  }

  /// Returns the overlay of a text, one line high; nil if nothing is visible.
  /// - Parameters:
  ///   - x: The left edge on the canvas; `y` is the top edge.
  ///   - width: The maximum width in pixels; a wider text ends in "…".
  public func overlay(
    _ text: String, style: TextStyle = TextStyle(), x: Int = 0, y: Int = 0, width: Int = TextRenderer.maximumWidth
  ) -> Overlay? {
    let border = min(max(style.outlineWidth, 0), 8)
    let most = min(max(width, 1), Self.maximumWidth) - 2 * border
    let line = line(letters(of: text), within: most)
    guard let mask = TextMask(line, ascent: ascent, descent: descent, border: border, within: most) else { return nil }
    return mask.overlay(style, border: border, x: x, y: y)
  }

  /// Returns the scalars to draw.
  private func letters(of text: String) -> [Unicode.Scalar] {
    // A single character may consist of any number of scalars.
    let scalars = text.prefix(Self.maximumLetters).unicodeScalars.prefix(4 * Self.maximumLetters)
    return scalars.compactMap { scalar in
      if scalar.properties.isWhitespace { return " " }
      return scalar.properties.generalCategory == .control || scalar.properties.isDefaultIgnorableCodePoint ? nil : scalar
    }
  }

  /// Returns the position of each letter, and of the next one.
  private func line(_ letters: [Unicode.Scalar], within width: Int) -> TextLine {
    var line = TextLine()
    var before: (letter: Unicode.Scalar, font: Font)?
    for letter in letters {
      let font = fonts.first { $0.has(letter) } ?? fonts[0]
      let glyph = font.glyph(of: letter)
      if let before, before.font === font { line.end += font.kerning(before.letter, letter) }
      line.glyphs.append((glyph, line.end))
      line.end += glyph.advance
      before = (letter, font)
    }
    guard line.end > width else { return line }
    let dots = fonts[0].glyph(of: "…")
    while let last = line.glyphs.popLast() {
      line.end = last.x
      if line.end + dots.advance <= width { break }
    }
    line.glyphs.append((dots, line.end))
    line.end += dots.advance
    return line
  }
}

/// Letters on one line.
struct TextLine {
  /// The glyphs with their pen positions in pixels.
  var glyphs: [(glyph: Glyph, x: Int)] = []
  var end = 0
}
