import RoomCodecs
import RoomStudio

/// The effects that the program draws and measures, each alone and all together.
enum Effects {
  /// Warm lights, blue shadows, more contrast.
  static let warm = LookupTable(side: 33) { colour in
    let curved = colour * colour * (3 - 2 * colour)
    let mixed = colour + (curved - colour) * 0.6
    return mixed * SIMD3(1.06, 1.0, 0.86) + SIMD3(0.0, 0.01, 0.05)
  }

  static func all(width: Int, height: Int) throws -> [(name: String, settings: PictureSettings)] {
    func settings(_ change: (inout PictureSettings) throws -> Void) rethrows -> PictureSettings {
      var settings = PictureSettings()
      try change(&settings)
      return settings
    }
    let overlays = try overlays(width: width, height: height)
    let filter = LookupFilter(warm, strength: 0.8)
    return [
      ("range", settings { $0.range = .full }),
      ("smooth", settings { $0.beauty = Beauty(smooth: 0.8, whiten: 0, redden: 0) }),
      ("whiten", settings { $0.beauty = Beauty(smooth: 0, whiten: 0.6, redden: 0) }),
      ("redden", settings { $0.beauty = Beauty(smooth: 0, whiten: 0, redden: 0.6) }),
      ("beauty", settings { $0.beauty = Beauty(smooth: 0.8, whiten: 0.4, redden: 0.3) }),
      ("filter", settings { $0.filter = filter }),
      ("mirror", settings { $0.mirror.stream = true }),
      ("stickers", settings { $0.stickers = overlays.stickers }),
      ("text", settings { $0.texts = overlays.texts }),
      ("watermark", settings { $0.watermark = overlays.watermark }),
      (
        "all",
        settings {
          $0.range = .full
          $0.beauty = Beauty(smooth: 0.8, whiten: 0.4, redden: 0.3)
          $0.filter = filter
          $0.mirror.preview = true
          $0.stickers = overlays.stickers
          $0.texts = overlays.texts
          $0.watermark = overlays.watermark
        }
      ),
      ("crop", try settings { $0.size = try PictureSize(width: height * 9 / 16 & ~1, height: height, mode: .fill) }),
      ("fit", try settings { $0.size = try PictureSize(width: height * 4 / 3 & ~1, height: height, mode: .fit) }),
      ("stretch", try settings { $0.size = try PictureSize(width: height & ~1, height: height, mode: .stretch) }),
    ]
  }

  private static func overlays(
    width: Int, height: Int
  ) throws -> (stickers: [Overlay], texts: [Overlay], watermark: Overlay) {
    let size = height / 6
    let heart = try heart(size: size)
    let stickers = [
      try Overlay(heart, x: width / 5, y: height / 6),
      try Overlay(heart, x: width * 7 / 10, y: height / 3, width: size * 2 / 3),
    ]
    let text = try TextRenderer(size: min(max(height / 14, 6), 256)).overlay(
      "Live from the studio", x: width / 20, y: height * 17 / 20)
    var mark = try VideoFrame(width: height / 5 & ~1, height: height / 14 & ~1)
    mark.fill(YUVColour(red: 230, green: 40, blue: 70))
    let watermark = try Overlay(
      Picture(mark), x: (width - mark.width - width / 40) & ~1, y: height / 24 & ~1, opacity: 0.7)
    return (stickers, text.map { [$0] } ?? [], watermark)
  }

  private static func heart(size: Int) throws(CodecError) -> Picture {
    var bytes = [UInt8](repeating: 0, count: size * size * 4)
    for row in 0..<size {
      for column in 0..<size {
        let (x, y) = (Double(column * 2 - size) / Double(size) * 1.3, Double(size - row * 2) / Double(size) * 1.3 + 0.1)
        let power = x * x + y * y - 1
        let value = power * power * power - x * x * y * y * y
        let place = (row * size + column) * 4
        bytes[place] = 240
        bytes[place + 1] = UInt8(60 + row * 60 / size)
        bytes[place + 2] = 110
        bytes[place + 3] = UInt8(min(max(-value * Double(size) * 400, 0), 240))
      }
    }
    return try Picture(rgba: bytes, width: size, height: size)
  }
}
