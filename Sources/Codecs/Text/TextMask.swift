/// The coverage of each pixel of a text's picture.
struct TextMask {
  private let width: Int
  private let height: Int
  private var letters: [UInt8]

  /// Returns nil if nothing is visible.
  /// - Parameters:
  ///   - border: The free space around the letters in pixels.
  ///   - most: The maximum width in pixels; the excess is cropped.
  init?(_ line: TextLine, ascent: Int, descent: Int, border: Int, within most: Int) {
    let seen = line.glyphs.filter { !$0.glyph.coverage.isEmpty }
    guard !seen.isEmpty else { return nil }
    // A letter may extend to the left of the pen or to the right of the next pen position.
    let left = min(0, seen.map { $0.x + $0.glyph.left }.min() ?? 0)
    let right = max(line.end, seen.map { $0.x + $0.glyph.left + $0.glyph.width }.max() ?? 0)
    width = min(max(right - left, 1), max(most, 1)) + 2 * border
    height = max(ascent + descent, 1) + 2 * border
    letters = [UInt8](repeating: 0, count: width * height)
    for (glyph, x) in seen {
      let (column, row) = (border + x + glyph.left - left, border + ascent - glyph.top)
      for y in max(0, -row)..<max(0, -row, min(glyph.height, height - row)) {
        for x in max(0, -column)..<max(0, -column, min(glyph.width, width - column)) {
          let place = (row + y) * width + column + x
          letters[place] = max(letters[place], glyph.coverage[y * glyph.width + x])
        }
      }
    }
  }

  func overlay(_ style: TextStyle, border: Int, x: Int, y: Int) -> Overlay? {
    let around = border > 0 ? widened(by: border) : [UInt8](repeating: 0, count: letters.count)
    // The visible part of the outline: not covered by letters.
    let outline = zip(letters, around).map { UInt8(truncatingIfNeeded: (Int($1) * (255 - Int($0)) + 127) / 255) }
    guard var picture = try? VideoFrame(width: width, height: height) else { return nil }
    picture.withMutablePlanes { planes in
      for row in 0..<height {
        for column in 0..<width {
          let place = row * width + column
          planes.y[row * planes.yStride + column] = Self.mean(style.colour.y, letters[place], style.outline.y, outline[place])
        }
      }
      for row in 0..<planes.chromaHeight {
        for column in 0..<planes.chromaWidth {
          var (letter, line) = (0, 0)
          for y in row * 2..<min(row * 2 + 2, height) {
            for x in column * 2..<min(column * 2 + 2, width) {
              letter += Int(letters[y * width + x])
              line += Int(outline[y * width + x])
            }
          }
          let place = row * planes.chromaStride + column
          planes.u[place] = Self.mean(style.colour.u, letter, style.outline.u, line)
          planes.v[place] = Self.mean(style.colour.v, letter, style.outline.v, line)
        }
      }
    }
    let alpha = zip(letters, outline).map { UInt8(clamping: Int($0) + Int($1)) }
    return Overlay(picture: picture, alpha: alpha, x: x, y: y)
  }

  /// Returns the area within a distance of the letters.
  private func widened(by radius: Int) -> [UInt8] {
    // Rows widened progressively to both sides: the rows of a circle, from its top inwards.
    var wide = letters
    var reach = 0
    var result = [UInt8](repeating: 0, count: letters.count)
    for dy in (0...radius).reversed() {
      while (reach + 1) * (reach + 1) + dy * dy <= radius * radius + radius / 2 {
        reach += 1
        for row in 0..<height {
          let line = row * width
          for column in 0..<max(0, width - reach) {
            let (left, right) = (line + column, line + column + reach)
            if letters[right] > wide[left] { wide[left] = letters[right] }
            if letters[left] > wide[right] { wide[right] = letters[left] }
          }
        }
      }
      for row in 0..<max(0, height - dy) {
        for place in row * width..<(row + 1) * width {
          let below = place + dy * width
          if wide[below] > result[place] { result[place] = wide[below] }
          if wide[place] > result[below] { result[below] = wide[place] }
        }
      }
    }
    return result
  }

  private static func mean(_ a: UInt8, _ weightOfA: some BinaryInteger, _ b: UInt8, _ weightOfB: some BinaryInteger) -> UInt8 {
    let (wa, wb) = (Int(weightOfA), Int(weightOfB))
    return wa + wb > 0 ? UInt8(truncatingIfNeeded: (Int(a) * wa + Int(b) * wb + (wa + wb) / 2) / (wa + wb)) : a
  }
}
