import RoomCodecs
import RoomMediaTimeLiterals
import RoomMixing
import RoomRTP
import RoomTestSupport
import Testing

@Suite("Text")
struct TextTests {
  /// Returns an overlay as text by opacity and brightness: '#' bright, 'o' dark, ' ' invisible.
  private func drawing(_ overlay: Overlay?) throws -> String {
    let overlay = try #require(overlay)
    let rows = overlay.picture.withPlanes { planes in
      (0..<planes.height).map { y in
        let row = (0..<planes.width).map { x -> Character in
          guard overlay.alpha[y * planes.width + x] > 100 else { return " " }
          return planes.y[y * planes.yStride + x] > 126 ? "#" : "o"
        }
        return String(row).replacing(/\ +$/, with: "")
      }
    }
    return rows.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed().joined(separator: "\n")
  }

  @Test("letters are placed in order on one baseline")
  func letters() throws {
    let drawing = try drawing(TextRenderer(size: 12).overlay("Hi, Bob", style: TextStyle(outlineWidth: 0)))
    #expect(
      drawing == """
                                            #
         #     #  #          #####          #
         #     #             #   ##         #
         #     #  #          #    #   ###   #####
         #     #  #          #   ##  ##  #  ##  ##
         #######  #          #####   #   ## #    #
         #     #  #          #    #  #   ## #    #
         #     #  #          #    #  #   ## #    #
         #     #  #  ##      #    #  ##  #  ##  ##
         #     #  #  ##      #####    ###   #####
                     #
        """)
  }

  @Test("an outline surrounds the letters")
  func outline() throws {
    #expect(
      try drawing(TextRenderer(size: 12).overlay("LT", style: TextStyle(outlineWidth: 1))) == """
          o    ooooooo
         o#o  o#######o
         o#o   ooo#ooo
         o#o     o#o
         o#o     o#o
         o#o     o#o
         o#o     o#o
         o#o     o#o
         o#ooooo o#o
         o######oo#o
          oooooo  o
        """)
  }

  @Test("a letter missing in all fonts is a box")
  func missing() throws {
    #expect(
      try drawing(TextRenderer(size: 12).overlay("\u{10fffd}a", style: TextStyle(outlineWidth: 0))) == """
        #######
        #     # ####
        #     #    ##
        #     #     #
        #     # #####
        #     # #   #
        #     # #  ##
        #     # #####
        #     #
        #     #
        #######
        """)
  }

  @Test("letters and outline have the configured colours")
  func colours() throws {
    let renderer = try TextRenderer(size: 60)
    let overlay = try #require(
      renderer.overlay("I", style: TextStyle(colour: .red, outline: .blue, outlineWidth: 4), x: 10, y: 2))
    let canvas = try compositor([], width: 100, height: 100, overlays: [overlay]).compose(timestamp: 0)
    // Across the middle of the letter: background, outline, letter, outline, background.
    let seen = (0..<100).map { x in
      [YUVColour.grey, .blue, .red].firstIndex { canvas.isColour($0, x, 40) }
    }
    var order: [Int] = []
    for index in seen.compactMap({ $0 }) where order.last != index { order.append(index) }
    #expect(order == [0, 1, 2, 1, 0])
  }

  @Test("a text that is too wide ends in an ellipsis")
  func dots() throws {
    let renderer = try TextRenderer(size: 20)
    let plain = TextStyle(outlineWidth: 0)
    let whole = try #require(renderer.overlay("a long name", style: plain))
    let cut = try #require(renderer.overlay("a long name", style: plain, width: 80))
    #expect(whole.picture.width > 80 && cut.picture.width <= 80)
    #expect(try drawing(cut).split(separator: "\n").last?.hasSuffix("##") == true)
    #expect(try #require(renderer.overlay("a", style: plain, width: 80)).picture.width < 20)
    for width in [Int.min, -1, 0, 1, 2, 7, Int.max] {
      let picture = renderer.overlay("a long name", width: width)?.picture
      #expect(picture.map { $0.height == renderer.lineHeight + 4 } ?? true)
    }
  }

  @Test("any text gives an overlay of bounded size or none")
  func hostile() throws {
    let texts = [
      "", " ", "\0", "\0\0a\0", "\u{202e}\u{200f}\u{feff}", "שלום עולם", "مرحبا بالعالم", "王小明", "🎤👩‍👩‍👧‍👦🇨🇳",
      "e" + String(repeating: "\u{301}", count: 10_000),
      String(repeating: "W", count: 10_000), String(repeating: " ", count: 200) + "a",
      String(repeating: "\u{fdfa}", count: 100), "\n\r\t\u{2028}", "a\u{7f}\u{85}b",
      String(decoding: [0xff, 0xc0, 0x80, 0x41], as: UTF8.self), String(repeating: "\u{16fe4}", count: 64), "\u{1b}[31mred",
    ]
    var random = SeededGenerator(seed: 9)
    let noise = (0..<300).map { _ in
      String(
        String.UnicodeScalarView(
          (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x10_ffff, using: &random)) }))
    }
    for size in [6, 13, 40] {
      let renderer = try TextRenderer(size: size)
      for text in texts + (size == 13 ? noise : []) {
        for border in size == 13 ? [2] : [0, 1000, -5] {
          guard let overlay = renderer.overlay(text, style: TextStyle(outlineWidth: border)) else { continue }
          #expect(overlay.picture.width <= TextRenderer.maximumWidth)
          #expect(overlay.picture.height <= renderer.lineHeight + 16)
        }
      }
      for text in ["", " ", "\0", "\n\r\t\u{2028}"] { #expect(renderer.overlay(text) == nil) }
      #expect(renderer.overlay("王小明") != nil)
    }
    let widest = try #require(try TextRenderer(size: 256).overlay(texts[10], style: TextStyle(outlineWidth: 0)))
    #expect((3500...TextRenderer.maximumWidth).contains(widest.picture.width))
  }

  @Test("without a font, the error states what to do")
  func noFont() {
    for (path, reason) in [
      ("/nowhere/font.ttf", "/nowhere/font.ttf: the file is missing or not a font"),
      ("/etc/passwd", "/etc/passwd: the file is missing or not a font"),
    ] {
      let error = #expect(throws: CodecError.self) { _ = try TextRenderer(font: path, size: 20) }
      #expect(error?.description == reason)
    }
    for size in [0, -1, 5, 257, Int.max] {
      let error = #expect(throws: CodecError.self) { _ = try TextRenderer(size: size) }
      #expect(error?.description == "text size must be 6…256 pixels, not \(size)")
    }
  }

  @Test("a clock updates once a second")
  func clock() throws {
    let renderer = try TextRenderer(size: 12)
    let plain = TextStyle(outlineWidth: 0)
    let clock = ClockText(renderer, style: plain, secondsFromGMT: 8 * 3600, x: 10, y: 20)
    // 2026-11-22 01:02:03.400 in London.
    let start: Int64 = 1_795_309_323_400
    let first = try #require(clock.overlay(at: start))
    #expect(first.x == 10 && first.y == 20)
    #expect(try drawing(first) == drawing(renderer.overlay("09:02:03", style: plain)))
    #expect(clock.overlay(at: start + 599) == nil)
    #expect(try drawing(clock.overlay(at: start + 600)) == drawing(renderer.overlay("09:02:04", style: plain)))
    #expect(try drawing(clock.overlay(at: -1)) == drawing(renderer.overlay("07:59:59", style: plain)))
    for time in [Int64.min, .max, 0] { #expect(clock.overlay(at: time) != nil) }
    #expect(ClockText(renderer, secondsFromGMT: .max, x: .max, y: .min).overlay(at: .max) != nil)
  }

  @Test("a clock that counts down shows minutes and seconds, and 0:00 from the end on")
  func countdown() throws {
    let renderer = try TextRenderer(size: 12)
    let plain = TextStyle(outlineWidth: 0)
    let clock = ClockText(renderer, style: plain, until: 1_000_000, x: 10, y: 20)
    #expect(try drawing(clock.overlay(at: 1_000_000 - 299_500)) == drawing(renderer.overlay("5:00", style: plain)))
    #expect(clock.overlay(at: 1_000_000 - 299_001) == nil)
    #expect(try drawing(clock.overlay(at: 1_000_000 - 299_000)) == drawing(renderer.overlay("4:59", style: plain)))
    #expect(try drawing(clock.overlay(at: 999_999)) == drawing(renderer.overlay("0:01", style: plain)))
    for time in [1_000_000, 2_000_000, Int64.max] {
      let clock = ClockText(renderer, style: plain, until: 1_000_000, x: 10, y: 20)
      #expect(try drawing(clock.overlay(at: time)) == drawing(renderer.overlay("0:00", style: plain)))
    }
    #expect(ClockText(renderer, until: .max, x: 0, y: 0).overlay(at: .min) != nil)
  }
}
