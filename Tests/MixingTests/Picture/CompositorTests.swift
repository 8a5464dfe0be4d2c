import Codecs
import Mixing
import Testing

@Suite("The compositor")
struct CompositorTests {
  private static let red = YUVColour(y: 81, u: 90, v: 240)
  private static let green = YUVColour(y: 145, u: 54, v: 34)
  private static let blue = YUVColour(y: 41, u: 240, v: 110)
  private static let grey = YUVColour(y: 100, u: 128, v: 128)

  private func picture(_ width: Int, _ height: Int, _ colour: YUVColour) throws -> VideoFrame {
    var frame = try VideoFrame(width: width, height: height)
    frame.fill(colour)
    return frame
  }

  private func colour(_ frame: VideoFrame, _ x: Int, _ y: Int) -> YUVColour {
    frame.withPlanes { planes in
      let chroma = y / 2 * planes.chromaStride + x / 2
      return YUVColour(y: planes.y[y * planes.yStride + x], u: planes.u[chroma], v: planes.v[chroma])
    }
  }

  private func compositor(
    _ placements: [Placement<String>], width: Int = 720, height: Int = 1280, overlays: [Overlay] = []
  ) throws -> Compositor<String> {
    try Compositor(
      Composition(width: width, height: height, background: .colour(Self.grey), placements: placements, overlays: overlays))
  }

  @Test("a PK: each half shows its side, and the rest the background")
  func halves() throws {
    let compositor = try compositor([
      Placement(source: "a", frame: PixelFrame(x: 0, y: 320, width: 360, height: 640)),
      Placement(source: "b", frame: PixelFrame(x: 360, y: 320, width: 360, height: 640)),
    ])
    compositor.setPicture(try picture(368, 640, Self.red), of: "a")
    compositor.setPicture(try picture(1280, 720, Self.blue), of: "b")
    let canvas = compositor.compose(timestamp: 40)
    #expect(canvas.timestamp == 40)
    for (x, y, expected) in [
      (0, 320, Self.red), (359, 320, Self.red), (359, 959, Self.red), (360, 320, Self.blue), (719, 959, Self.blue),
      (0, 319, Self.grey), (719, 319, Self.grey), (360, 960, Self.grey), (0, 1279, Self.grey),
    ] { #expect(colour(canvas, x, y) == expected, "\(x),\(y)") }
  }

  @Test("what has not changed is not drawn")
  func unchanged() throws {
    let compositor = try compositor([
      Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 360, height: 640)),
      Placement(source: "b", frame: PixelFrame(x: 360, y: 0, width: 360, height: 640)),
    ])
    compositor.setPicture(try picture(320, 180, Self.red), of: "a")
    compositor.setPicture(try picture(320, 180, Self.blue), of: "b")
    _ = compositor.compose(timestamp: 0)
    #expect(compositor.counters.drawn == 2)
    _ = compositor.compose(timestamp: 1)
    #expect(compositor.counters.unchanged == 1)
    compositor.setPicture(try picture(320, 180, Self.green), of: "a")
    compositor.setPicture(try picture(320, 180, Self.green), of: "somebody else")
    let canvas = compositor.compose(timestamp: 2)
    #expect(compositor.counters.drawn == 3)
    #expect(colour(canvas, 10, 10) == Self.green && colour(canvas, 400, 10) == Self.blue)
  }

  @Test("an earlier picture stays as it was when the canvas goes on")
  func earlier() throws {
    let compositor = try compositor([Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 720, height: 1280))])
    compositor.setPicture(try picture(72, 128, Self.red), of: "a")
    let first = compositor.compose(timestamp: 0)
    compositor.setPicture(try picture(72, 128, Self.blue), of: "a")
    let second = compositor.compose(timestamp: 1)
    #expect(colour(first, 300, 300) == Self.red && colour(second, 300, 300) == Self.blue)
  }

  @Test("fill cuts, fit leaves bars, stretch distorts")
  func modes() throws {
    // Left half red, right half blue, twice as wide as high.
    var source = try picture(200, 100, Self.red)
    source.withMutablePlanes { $0.fill(x: 100, y: 0, width: 100, height: 100, Self.blue) }
    let frame = PixelFrame(x: 0, y: 0, width: 100, height: 100)
    func canvas(_ mode: FillMode) throws -> VideoFrame {
      let compositor = try compositor([Placement(source: "a", frame: frame, mode: mode)], width: 100, height: 100)
      compositor.setPicture(source, of: "a")
      return compositor.compose(timestamp: 0)
    }
    let fill = try canvas(.fill)
    #expect(colour(fill, 2, 2) == Self.red && colour(fill, 97, 97) == Self.blue)
    #expect(colour(fill, 46, 50) == Self.red && colour(fill, 54, 50) == Self.blue)
    let fit = try canvas(.fit)
    #expect(colour(fit, 50, 20) == Self.grey && colour(fit, 50, 80) == Self.grey)
    #expect(colour(fit, 10, 50) == Self.red && colour(fit, 90, 50) == Self.blue)
    let stretch = try canvas(.stretch)
    #expect(colour(stretch, 2, 2) == Self.red && colour(stretch, 2, 97) == Self.red && colour(stretch, 97, 2) == Self.blue)
  }

  @Test("zIndex says what is on top, whatever the order")
  func heights() throws {
    let compositor = try compositor([
      Placement(source: "guest", frame: PixelFrame(x: 500, y: 100, width: 200, height: 200), zIndex: 2),
      Placement(source: "host", frame: PixelFrame(x: 0, y: 0, width: 720, height: 1280), zIndex: 1),
    ])
    compositor.setPicture(try picture(180, 320, Self.red), of: "host")
    compositor.setPicture(try picture(180, 320, Self.blue), of: "guest")
    #expect(colour(compositor.compose(timestamp: 0), 600, 200) == Self.blue)
    // The host moves on; the guest stays on top.
    compositor.setPicture(try picture(180, 320, Self.green), of: "host")
    let canvas = compositor.compose(timestamp: 1)
    #expect(colour(canvas, 600, 200) == Self.blue && colour(canvas, 100, 200) == Self.green)
  }

  @Test("frames that stick out, are huge, or lie elsewhere give a right picture")
  func outside() throws {
    let compositor = try compositor(
      [
        Placement(source: "a", frame: PixelFrame(x: -50, y: -50, width: 100, height: 100)),
        Placement(source: "b", frame: PixelFrame(x: 150, y: 150, width: 100, height: 100)),
        Placement(source: "c", frame: PixelFrame(x: 1000, y: 0, width: 100, height: 100)),
        Placement(source: "d", frame: PixelFrame(x: 0, y: 0, width: 0, height: -4)),
      ], width: 200, height: 200)
    for (name, shade) in [("a", Self.red), ("b", Self.blue), ("c", Self.green), ("d", Self.green)] {
      compositor.setPicture(try picture(64, 64, shade), of: name)
    }
    let canvas = compositor.compose(timestamp: 0)
    #expect(colour(canvas, 49, 49) == Self.red && colour(canvas, 50, 50) == Self.grey)
    #expect(colour(canvas, 150, 150) == Self.blue && colour(canvas, 199, 199) == Self.blue)
    #expect(colour(canvas, 149, 149) == Self.grey)
    compositor.setPlacements([Placement(source: "a", frame: PixelFrame(x: -40_000, y: -40_000, width: 80_001, height: 80_001))])
    #expect(colour(compositor.compose(timestamp: 1), 100, 100) == Self.red)
  }

  @Test(
    "odd places and sizes lose no pixel of brightness", arguments: [(1, 1, 33, 35), (3, 2, 31, 17), (0, 5, 7, 1), (9, 9, 1, 1)])
  func odd(x: Int, y: Int, width: Int, height: Int) throws {
    let compositor = try compositor(
      [Placement(source: "a", frame: PixelFrame(x: x, y: y, width: width, height: height), mode: .stretch)], width: 64,
      height: 64)
    compositor.setPicture(try picture(33, 21, Self.red), of: "a")
    let canvas = compositor.compose(timestamp: 0)
    for (row, column) in [(y, x), (y + height - 1, x + width - 1)] {
      #expect(abs(Int(colour(canvas, column, row).y) - 81) <= 1)
    }
    if x > 0 { #expect(colour(canvas, x - 1, y).y == Self.grey.y) }
    #expect(colour(canvas, x + width, y).y == Self.grey.y && colour(canvas, x, y + height).y == Self.grey.y)
  }

  @Test("sixteen sources at once, and none at all")
  func many() throws {
    let placements = (0..<16).map { index in
      Placement(source: "\(index)", frame: PixelFrame(x: index % 4 * 80, y: index / 4 * 45, width: 80, height: 45))
    }
    let compositor = try compositor(placements, width: 320, height: 180)
    #expect(colour(compositor.compose(timestamp: 0), 100, 100) == Self.grey)
    for index in 0..<16 {
      compositor.setPicture(try picture(160, 90, YUVColour(y: UInt8(40 + index * 10), u: 128, v: 128)), of: "\(index)")
    }
    let canvas = compositor.compose(timestamp: 1)
    for index in 0..<16 { #expect(colour(canvas, index % 4 * 80 + 40, index / 4 * 45 + 22).y == UInt8(40 + index * 10)) }
  }

  @Test("a source that is gone leaves the background")
  func gone() throws {
    let compositor = try compositor([Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 100, height: 100))])
    compositor.setPicture(try picture(64, 64, Self.red), of: "a")
    #expect(colour(compositor.compose(timestamp: 0), 50, 50) == Self.red)
    compositor.setPicture(nil, of: "a")
    #expect(colour(compositor.compose(timestamp: 1), 50, 50) == Self.grey)
  }

  @Test("round corners show what is beneath, also after the next picture")
  func corners() throws {
    let compositor = try compositor([
      Placement(source: "a", frame: PixelFrame(x: 11, y: 11, width: 100, height: 100), cornerRadius: 30)
    ])
    for shade in [Self.red, Self.blue, Self.red] {
      compositor.setPicture(try picture(64, 64, shade), of: "a")
      let canvas = compositor.compose(timestamp: 0)
      for (x, y) in [(12, 12), (109, 12), (12, 109), (109, 109)] { #expect(colour(canvas, x, y).y == Self.grey.y) }
      for (x, y) in [(60, 12), (12, 60), (60, 60), (109, 60)] { #expect(colour(canvas, x, y).y == shade.y) }
    }
  }

  @Test("a watermark is blended once, however often the picture under it changes")
  func watermark() throws {
    let mark = try #require(
      Overlay(picture: try picture(20, 20, .white), alpha: [UInt8](repeating: 128, count: 400), x: 90, y: 90))
    let compositor = try compositor(
      [
        Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 100, height: 200)),
        Placement(source: "b", frame: PixelFrame(x: 100, y: 0, width: 100, height: 200)),
      ], width: 200, height: 200, overlays: [mark])
    compositor.setPicture(try picture(10, 20, Self.grey), of: "a")
    compositor.setPicture(try picture(10, 20, Self.grey), of: "b")
    for _ in 0..<5 {
      compositor.setPicture(try picture(10, 20, Self.grey), of: "a")
      let canvas = compositor.compose(timestamp: 0)
      #expect(colour(canvas, 95, 95).y == 168 && colour(canvas, 105, 105).y == 168)
      #expect(colour(canvas, 89, 95).y == 100)
    }
    #expect(Overlay(picture: try picture(20, 20, .white), alpha: [1, 2], x: 0, y: 0) == nil)
  }

  @Test("a canvas that can't be is refused", arguments: [(0, 0), (-2, 4), (100_000, 100_000), (101, 100)])
  func canvas(width: Int, height: Int) throws {
    #expect(throws: CodecError.self) { try Composition<String>(width: width, height: height) }
  }
}
