public import Codecs

/// How text looks.
public struct TextStyle: Sendable, Hashable {
  public var colour: YUVColour
  /// What is around the letters, so that they can be read on any picture.
  public var outline: YUVColour
  /// Pixels, 0…8; 0 for none.
  public var outlineWidth: Int

  public init(colour: YUVColour = .white, outline: YUVColour = .black, outlineWidth: Int = 2) {
    self.colour = colour
    self.outline = outline
    self.outlineWidth = outlineWidth
  }
}

/// Draws text in one size as overlays. One owner at a time.
///
/// Letters stand from left to right as they come, each by itself: Arabic and the like are not joined. What no font has is a box.
public final class TextRenderer {
  /// Pixels.
  public static let sizes = 6...256
  /// Longer texts are cut.
  public static let maximumLetters = 64
  /// Pixels; wider texts are cut.
  public static let maximumWidth = 4096
  /// Of the package fonts-dejavu-core.
  public static let standardFont = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
  /// What has Chinese letters, where it is installed: fonts-noto-cjk, fonts-wqy-microhei, fonts-wqy-zenhei.
  private static let chineseFonts = [
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
  ]

  /// Pixels from one line of text to the next.
  public var lineHeight: Int { ascent + descent }

  private let fonts: [Font]
  private let ascent: Int
  private let descent: Int

  /// - Parameters:
  ///   - path: of a font file; where it lacks a letter, or is nil, the standard one and a Chinese one are taken.
  ///   - size: pixels, one of ``sizes``.
  /// - Throws: ``CodecError/file(path:reason:)`` where there is no font, ``CodecError/invalidSetting(_:)`` for the size.
  public init(font path: String? = nil, size: Int) throws(CodecError) {
    guard Self.sizes.contains(size) else {
      throw .invalidSetting("text size must be \(Self.sizes.lowerBound)…\(Self.sizes.upperBound) pixels, not \(size)")
    }
    var fonts: [Font] = []
    if let path { fonts.append(try Font(path: path, size: size)) }
    fonts += ([Self.standardFont] + Self.chineseFonts).compactMap { try? Font(path: $0, size: size) }
    guard let first = fonts.first else {
      throw .file(
        path: Self.standardFont, reason: "no font was found; install the package fonts-dejavu-core or name a font file")
    }
    self.fonts = fonts
    ascent = first.ascent
    descent = first.descent
  }

  /// A text's picture, as high as a line; nil where there is nothing to see in it.
  /// - Parameters:
  ///   - x: of its left top corner on the canvas, as is `y`.
  ///   - width: most pixels; a wider text ends in "…".
  public func overlay(
    _ text: String, style: TextStyle = TextStyle(), x: Int = 0, y: Int = 0, width: Int = TextRenderer.maximumWidth
  ) -> Overlay? {
    let border = min(max(style.outlineWidth, 0), 8)
    let most = min(max(width, 1), Self.maximumWidth) - 2 * border
    let line = line(letters(of: text), within: most)
    guard let mask = TextMask(line, ascent: ascent, descent: descent, border: border, within: most) else { return nil }
    return mask.overlay(style, border: border, x: x, y: y)
  }

  /// The scalars that are drawn.
  private func letters(of text: String) -> [Unicode.Scalar] {
    // A single character may consist of any number of scalars.
    let scalars = text.prefix(Self.maximumLetters).unicodeScalars.prefix(4 * Self.maximumLetters)
    return scalars.compactMap { scalar in
      if scalar.properties.isWhitespace { return " " }
      return scalar.properties.generalCategory == .control || scalar.properties.isDefaultIgnorableCodePoint ? nil : scalar
    }
  }

  /// Where each letter stands, and where the next would.
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

/// Letters side by side.
struct TextLine {
  /// With the pen's place, in pixels.
  var glyphs: [(glyph: Glyph, x: Int)] = []
  var end = 0
}
