import RoomCodecs
import RoomMediaTimeLiterals
import RoomMixing
import RoomRTP
import RoomTestSupport
import Testing

@Suite("Overlays and backgrounds")
struct OverlayTests {
  @Test("a watermark is blended once, however often the picture under it changes")
  func watermark() throws {
    let mark = try #require(
      Overlay(picture: try VideoFrame.of(.white, 20, 20), alpha: [UInt8](repeating: 128, count: 400), x: 90, y: 90))
    let compositor = try compositor(
      [
        Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 100, height: 200)),
        Placement(source: "b", frame: PixelFrame(x: 100, y: 0, width: 100, height: 200)),
      ], width: 200, height: 200, overlays: [mark])
    compositor.setPicture(try VideoFrame.of(.grey, 10, 20), of: "a")
    compositor.setPicture(try VideoFrame.of(.grey, 10, 20), of: "b")
    for _ in 0..<5 {
      compositor.setPicture(try VideoFrame.of(.grey, 10, 20), of: "a")
      let canvas = compositor.compose(timestamp: 0)
      #expect(canvas.colour(95, 95).y == 168 && canvas.colour(105, 105).y == 168)
      #expect(canvas.colour(89, 95).y == 100)
    }
    #expect(Overlay(picture: try VideoFrame.of(.white, 20, 20), alpha: [1, 2], x: 0, y: 0) == nil)
  }

  @Test("each pixel is blended by its opacity, at even and odd positions, also beyond the canvas edge")
  func mixed() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let (width, height) = (Int.random(in: 1...41, using: &random), Int.random(in: 1...23, using: &random))
      let (x, y) = (Int.random(in: -30...50, using: &random), Int.random(in: -20...50, using: &random))
      let alpha = (0..<width * height).map { _ in [0, 1, 77, 128, 254, 255].randomElement(using: &random) ?? 0 as UInt8 }
      let overlay = try #require(
        Overlay(picture: .of(YUVColour(y: 200, u: 40, v: 210), width, height), alpha: alpha, x: x, y: y))
      let canvas = try compositor([], width: 64, height: 64, overlays: [overlay]).compose(timestamp: 0)
      func opacity(_ column: Int, _ row: Int) -> Double {
        let (left, top) = (column - x, row - y)
        guard (0..<width).contains(left), (0..<height).contains(top) else { return 0 }
        return Double(alpha[top * width + left]) / 255
      }
      for row in 0..<64 {
        for column in 0..<64 {
          let seen = canvas.colour(column, row)
          #expect(abs(Double(seen.y) - (100 + 100 * opacity(column, row))) <= 1.1)
          let (left, top) = (column & ~1, row & ~1)
          let mean = [(0, 0), (1, 0), (0, 1), (1, 1)].reduce(0) { $0 + opacity(left + $1.0, top + $1.1) } / 4
          #expect(abs(Double(seen.u) - (128 - 88 * mean)) <= 2 && abs(Double(seen.v) - (128 + 82 * mean)) <= 2)
        }
      }
    }
  }

  @Test("a moved overlay keeps its colours")
  func moved() throws {
    let pixels = (0..<16 * 16).flatMap { $0 % 16 < 8 ? [255, 0, 0, 255] : [0, 0, 255, 255] as [UInt8] }
    var overlay = try Overlay(Picture(rgba: pixels, width: 16, height: 16), x: 10, y: 10)
    for (x, y) in [(11, 10), (11, 11), (10, 11), (-3, 7), (20, 20)] {
      overlay.x = x
      overlay.y = y
      let canvas = try compositor([], width: 64, height: 64, overlays: [overlay]).compose(timestamp: 0)
      #expect(canvas.isColour(YUVColour(red: 255, green: 0, blue: 0), max(0, x + 4), y + 8))
      #expect(canvas.isColour(YUVColour(red: 0, green: 0, blue: 255), x + 12, y + 8))
      if x > 1 { #expect(canvas.colour(x - 2, y + 8) == .grey) }
      #expect(canvas.colour(x + 18, y + 8) == .grey)
    }
  }

  @Test("a watermark has the requested size and opacity")
  func size() throws {
    let picture = try Picture(rgba: (0..<64 * 32).flatMap { _ in [255, 255, 255, 255] as [UInt8] }, width: 64, height: 32)
    func size(_ overlay: Overlay) -> [Int] { [overlay.picture.width, overlay.picture.height] }
    #expect(size(try Overlay(picture, x: 0, y: 0)) == [64, 32])
    #expect(size(try Overlay(picture, x: 0, y: 0, width: 20)) == [20, 10])
    #expect(size(try Overlay(picture, x: 0, y: 0, height: 64)) == [128, 64])
    #expect(size(try Overlay(picture, x: 0, y: 0, width: 7, height: 9)) == [7, 9])
    let faint = try Overlay(picture, x: 0, y: 0, width: 20, opacity: 0.5)
    #expect(faint.alpha == [UInt8](repeating: 128, count: 200))
    let canvas = try compositor([], width: 64, height: 64, overlays: [faint]).compose(timestamp: 0)
    #expect(canvas.colour(10, 5).y == 168)
    for opacity in [-0.1, 1.1, .nan, .infinity] {
      #expect(throws: CodecError.self) { try Overlay(picture, x: 0, y: 0, opacity: opacity) }
    }
    for side in [0, -1, 10_000, Int.max, Int.min] {
      #expect(throws: CodecError.self) { try Overlay(picture, x: 0, y: 0, width: side) }
      #expect(throws: CodecError.self) { try Overlay(picture, x: 0, y: 0, height: side) }
      #expect(throws: CodecError.self) { try Overlay(picture, x: 0, y: 0, width: side, height: side) }
    }
  }

  @Test("an overlay at the limits of Int is invisible")
  func elsewhere() throws {
    for place in [Int.max, .max - 1, .min, .min + 1, 1 << 40] {
      let overlay = try #require(
        Overlay(picture: .of(.red, 3, 3), alpha: [UInt8](repeating: 255, count: 9), x: place, y: place))
      let canvas = try compositor([], width: 64, height: 64, overlays: [overlay]).compose(timestamp: 0)
      #expect(canvas.colour(0, 0) == .grey && canvas.colour(63, 63) == .grey)
    }
  }

  @Test("a background of any size fills the canvas", arguments: [(8, 8), (1000, 10), (10, 1000), (64, 48), (1, 1), (333, 77)])
  func background(width: Int, height: Int) throws {
    let compositor = try compositor(
      [Placement(source: "a", frame: PixelFrame(x: 10, y: 10, width: 20, height: 20), mode: .fit)], width: 64, height: 48)
    compositor.setBackground(background: .image(try .of(.blue, width, height)), overlays: [])
    let canvas = compositor.compose(timestamp: 0)
    for (x, y) in [(0, 0), (63, 0), (0, 47), (63, 47), (15, 15)] { #expect(canvas.colour(x, y) == .blue) }
    compositor.setPicture(try .of(.red, 20, 10), of: "a")
    _ = compositor.compose(timestamp: 1)
    compositor.setPicture(try .of(.red, 10, 20), of: "a")
    let next = compositor.compose(timestamp: 2)
    #expect(next.colour(20, 20) == .red && next.colour(11, 20) == .blue)
    compositor.setBackground(background: .colour(.green), overlays: [])
    #expect(compositor.compose(timestamp: 3).colour(11, 20) == .green)
  }

  @Test("a transparent background shows its colour")
  func transparent() throws {
    let pixels = (0..<64 * 64).flatMap { $0 % 64 < 32 ? [255, 255, 255, 255] : [255, 0, 0, 0] as [UInt8] }
    let compositor = try compositor([], width: 64, height: 64)
    compositor.setBackground(
      background: .picture(try Picture(rgba: pixels, width: 64, height: 64), over: .blue), overlays: [])
    let canvas = compositor.compose(timestamp: 0)
    #expect(canvas.colour(10, 10) == .white && canvas.colour(50, 10) == .blue)
  }
}
