import RoomCodecs
import RoomMediaTimeLiterals
import RoomMixing
import RoomRTP
import Testing

@Suite("The compositor")
struct CompositorTests {
  @Test("a PK: each half shows its side, and the rest the background")
  func halves() throws {
    let compositor = try compositor([
      Placement(source: "a", frame: PixelFrame(x: 0, y: 320, width: 360, height: 640)),
      Placement(source: "b", frame: PixelFrame(x: 360, y: 320, width: 360, height: 640)),
    ])
    compositor.setPicture(try VideoFrame.of(.red, 368, 640), of: "a")
    compositor.setPicture(try VideoFrame.of(.blue, 1280, 720), of: "b")
    let canvas = compositor.compose(timestamp: 40)
    #expect(canvas.timestamp == 40)
    for (x, y, expected) in [
      (0, 320, YUVColour.red), (359, 320, YUVColour.red), (359, 959, YUVColour.red), (360, 320, YUVColour.blue),
      (719, 959, YUVColour.blue),
      (0, 319, YUVColour.grey), (719, 319, YUVColour.grey), (360, 960, YUVColour.grey), (0, 1279, YUVColour.grey),
    ] { #expect(canvas.colour(x, y) == expected, "\(x),\(y)") }
  }

  @Test("unchanged sources are not redrawn")
  func unchanged() throws {
    let compositor = try compositor([
      Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 360, height: 640)),
      Placement(source: "b", frame: PixelFrame(x: 360, y: 0, width: 360, height: 640)),
    ])
    compositor.setPicture(try VideoFrame.of(.red, 320, 180), of: "a")
    compositor.setPicture(try VideoFrame.of(.blue, 320, 180), of: "b")
    _ = compositor.compose(timestamp: 0)
    #expect(compositor.counters.drawn == 2)
    _ = compositor.compose(timestamp: 1)
    #expect(compositor.counters.unchanged == 1)
    compositor.setPicture(try VideoFrame.of(.green, 320, 180), of: "a")
    compositor.setPicture(try VideoFrame.of(.green, 320, 180), of: "somebody else")
    let canvas = compositor.compose(timestamp: 2)
    #expect(compositor.counters.drawn == 3)
    #expect(canvas.colour(10, 10) == .green && canvas.colour(400, 10) == .blue)
  }

  @Test("an earlier picture is not affected by later drawing")
  func earlier() throws {
    let compositor = try compositor([Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 720, height: 1280))])
    compositor.setPicture(try VideoFrame.of(.red, 72, 128), of: "a")
    let first = compositor.compose(timestamp: 0)
    compositor.setPicture(try VideoFrame.of(.blue, 72, 128), of: "a")
    let second = compositor.compose(timestamp: 1)
    #expect(first.colour(300, 300) == .red && second.colour(300, 300) == .blue)
  }

  @Test("fill crops, fit leaves bars, stretch distorts")
  func modes() throws {
    // The left half is red and the right half is blue; twice as wide as high.
    var source = try VideoFrame.of(.red, 200, 100)
    source.withMutablePlanes { $0.fill(x: 100, y: 0, width: 100, height: 100, .blue) }
    let frame = PixelFrame(x: 0, y: 0, width: 100, height: 100)
    func canvas(_ mode: FillMode) throws -> VideoFrame {
      let compositor = try compositor([Placement(source: "a", frame: frame, mode: mode)], width: 100, height: 100)
      compositor.setPicture(source, of: "a")
      return compositor.compose(timestamp: 0)
    }
    let fill = try canvas(.fill)
    #expect(fill.colour(2, 2) == .red && fill.colour(97, 97) == .blue)
    #expect(fill.colour(46, 50) == .red && fill.colour(54, 50) == .blue)
    let fit = try canvas(.fit)
    #expect(fit.colour(50, 20) == .grey && fit.colour(50, 80) == .grey)
    #expect(fit.colour(10, 50) == .red && fit.colour(90, 50) == .blue)
    let stretch = try canvas(.stretch)
    #expect(stretch.colour(2, 2) == .red && stretch.colour(2, 97) == .red && stretch.colour(97, 2) == .blue)
  }

  @Test("zIndex determines what is on top, whatever the order")
  func heights() throws {
    let compositor = try compositor([
      Placement(source: "guest", frame: PixelFrame(x: 500, y: 100, width: 200, height: 200), zIndex: 2),
      Placement(source: "host", frame: PixelFrame(x: 0, y: 0, width: 720, height: 1280), zIndex: 1),
    ])
    compositor.setPicture(try VideoFrame.of(.red, 180, 320), of: "host")
    compositor.setPicture(try VideoFrame.of(.blue, 180, 320), of: "guest")
    #expect(compositor.compose(timestamp: 0).colour(600, 200) == .blue)
    // The host's picture changes; the guest stays on top.
    compositor.setPicture(try VideoFrame.of(.green, 180, 320), of: "host")
    let canvas = compositor.compose(timestamp: 1)
    #expect(canvas.colour(600, 200) == .blue && canvas.colour(100, 200) == .green)
  }

  @Test("frames that extend beyond the canvas, are huge, or lie elsewhere give a correct picture")
  func outside() throws {
    let compositor = try compositor(
      [
        Placement(source: "a", frame: PixelFrame(x: -50, y: -50, width: 100, height: 100)),
        Placement(source: "b", frame: PixelFrame(x: 150, y: 150, width: 100, height: 100)),
        Placement(source: "c", frame: PixelFrame(x: 1000, y: 0, width: 100, height: 100)),
        Placement(source: "d", frame: PixelFrame(x: 0, y: 0, width: 0, height: -4)),
      ], width: 200, height: 200)
    for (name, shade) in [("a", YUVColour.red), ("b", YUVColour.blue), ("c", YUVColour.green), ("d", YUVColour.green)] {
      compositor.setPicture(try VideoFrame.of(shade, 64, 64), of: name)
    }
    let canvas = compositor.compose(timestamp: 0)
    #expect(canvas.colour(49, 49) == .red && canvas.colour(50, 50) == .grey)
    #expect(canvas.colour(150, 150) == .blue && canvas.colour(199, 199) == .blue)
    #expect(canvas.colour(149, 149) == .grey)
    compositor.setPlacements([Placement(source: "a", frame: PixelFrame(x: -40_000, y: -40_000, width: 80_001, height: 80_001))])
    #expect(compositor.compose(timestamp: 1).colour(100, 100) == .red)
  }

  @Test(
    "odd positions and sizes lose no luma pixel", arguments: [(1, 1, 33, 35), (3, 2, 31, 17), (0, 5, 7, 1), (9, 9, 1, 1)])
  func odd(x: Int, y: Int, width: Int, height: Int) throws {
    let compositor = try compositor(
      [Placement(source: "a", frame: PixelFrame(x: x, y: y, width: width, height: height), mode: .stretch)], width: 64,
      height: 64)
    compositor.setPicture(try VideoFrame.of(.red, 33, 21), of: "a")
    let canvas = compositor.compose(timestamp: 0)
    for (row, column) in [(y, x), (y + height - 1, x + width - 1)] {
      #expect(abs(Int(canvas.colour(column, row).y) - 81) <= 1)
    }
    if x > 0 { #expect(canvas.colour(x - 1, y).y == YUVColour.grey.y) }
    #expect(canvas.colour(x + width, y).y == YUVColour.grey.y && canvas.colour(x, y + height).y == YUVColour.grey.y)
  }

  @Test("sixteen sources, and none")
  func many() throws {
    let placements = (0..<16).map { index in
      Placement(source: "\(index)", frame: PixelFrame(x: index % 4 * 80, y: index / 4 * 45, width: 80, height: 45))
    }
    let compositor = try compositor(placements, width: 320, height: 180)
    #expect(compositor.compose(timestamp: 0).colour(100, 100) == .grey)
    for index in 0..<16 {
      compositor.setPicture(try VideoFrame.of(YUVColour(y: UInt8(40 + index * 10), u: 128, v: 128), 160, 90), of: "\(index)")
    }
    let canvas = compositor.compose(timestamp: 1)
    for index in 0..<16 { #expect(canvas.colour(index % 4 * 80 + 40, index / 4 * 45 + 22).y == UInt8(40 + index * 10)) }
  }

  @Test("a removed source leaves the background")
  func gone() throws {
    let compositor = try compositor([Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 100, height: 100))])
    compositor.setPicture(try VideoFrame.of(.red, 64, 64), of: "a")
    #expect(compositor.compose(timestamp: 0).colour(50, 50) == .red)
    compositor.setPicture(nil, of: "a")
    #expect(compositor.compose(timestamp: 1).colour(50, 50) == .grey)
  }

  @Test("rounded corners show what is below, also after the next picture")
  func corners() throws {
    let compositor = try compositor([
      Placement(source: "a", frame: PixelFrame(x: 11, y: 11, width: 100, height: 100), cornerRadius: 30)
    ])
    for shade in [YUVColour.red, YUVColour.blue, YUVColour.red] {
      compositor.setPicture(try VideoFrame.of(shade, 64, 64), of: "a")
      let canvas = compositor.compose(timestamp: 0)
      for (x, y) in [(12, 12), (109, 12), (12, 109), (109, 109)] { #expect(canvas.colour(x, y).y == YUVColour.grey.y) }
      for (x, y) in [(60, 12), (12, 60), (60, 60), (109, 60)] { #expect(canvas.colour(x, y).y == shade.y) }
    }
  }

  @Test("numbers beyond any canvas give a correct picture", arguments: [Int.max, Int.min, Int.max / 2, 1 << 40, -(1 << 40)])
  func huge(number: Int) throws {
    let small = PixelFrame(x: 10, y: 10, width: 20, height: 20)
    let compositor = try compositor([], width: 64, height: 64)
    for mode in FillMode.allCases {
      compositor.setPlacements(
        [
          PixelFrame(x: number, y: 0, width: 10, height: 10), PixelFrame(x: 0, y: number, width: number, height: number),
          PixelFrame(x: number, y: number, width: number, height: number), PixelFrame(x: -5, y: -5, width: number, height: 3),
          PixelFrame(x: 40, y: number, width: 3, height: number),
        ].map { Placement(source: "a", frame: $0, zIndex: number, mode: mode, cornerRadius: number) } + [
          Placement(source: "b", frame: small, zIndex: .max)
        ])
      compositor.setPicture(try .of(.red, 33, 21), of: "a")
      compositor.setPicture(try .of(.blue, 33, 21), of: "b")
      #expect(compositor.compose(timestamp: 0).colour(20, 20) == .blue)
    }
    // The whole canvas is near the centre of a practically infinite frame.
    let endless = PixelFrame(x: -(1 << 50), y: -(1 << 50), width: 1 << 62, height: 1 << 62)
    compositor.setPlacements([Placement(source: "a", frame: endless, mode: .stretch)])
    #expect(compositor.compose(timestamp: 0).colour(30, 30) == .red)
  }

  @Test("intersections of frames, up to the limits of Int")
  func intersections() {
    let ends = [Int.min, -(1 << 40), -1, 0, 1, 7, 1 << 40, .max]
    let canvas = PixelFrame(x: 0, y: 0, width: 8, height: 8)
    for x in ends {
      for width in ends {
        let frame = PixelFrame(x: x, y: 0, width: width, height: 8)
        let shared = frame.intersection(canvas)
        #expect(shared == canvas.intersection(frame))
        let right = x.addingReportingOverflow(width)
        let isSeen = width > 0 && x < 8 && (right.overflow || right.partialValue > 0)
        #expect((shared != nil) == isSeen, "\(x), \(width)")
        #expect(shared.map { $0.x >= 0 && $0.x + $0.width <= 8 } ?? true)
        _ = frame.intersection(frame)
      }
    }
  }

  @Test("a source that changes its size still fills its frame", arguments: FillMode.allCases)
  func sizes(mode: FillMode) throws {
    let frame = PixelFrame(x: 20, y: 20, width: 60, height: 60)
    let compositor = try compositor([Placement(source: "a", frame: frame, mode: mode)], width: 100, height: 100)
    for (width, height, shade) in [(60, 60, YUVColour.red), (300, 60, .blue), (8, 16, .green), (1, 1, .red), (2048, 3, .blue)] {
      compositor.setPicture(try .of(shade, width, height), of: "a")
      let canvas = compositor.compose(timestamp: 0)
      #expect(canvas.isColour(shade, 50, 50))
      for (x, y) in [(19, 50), (80, 50), (50, 19), (50, 80)] { #expect(canvas.colour(x, y) == .grey) }
      // Bars of the background if the picture is not high or wide enough; nothing of the previous picture.
      let isWide = width > height
      let (bar, side) = isWide ? ((50, 22), (22, 50)) : ((22, 50), (50, 22))
      #expect(canvas.isColour(shade, side.0, side.1))
      #expect(canvas.isColour(mode == .fit && width != height ? .grey : shade, bar.0, bar.1))
    }
  }

  @Test("sources below a picture that fills the canvas are not drawn")
  func covered() throws {
    let whole = PixelFrame(x: 0, y: 0, width: 64, height: 64)
    let compositor = try compositor(
      [
        Placement(source: "under", frame: whole), Placement(source: "over", frame: whole, zIndex: 1),
        Placement(source: "small", frame: PixelFrame(x: 8, y: 8, width: 16, height: 16), zIndex: 2, cornerRadius: 4),
      ], width: 64, height: 64)
    for (name, shade) in [("under", YUVColour.red), ("small", .blue)] {
      compositor.setPicture(try .of(shade, 64, 64), of: name)
    }
    let first = compositor.compose(timestamp: 0)
    #expect(first.colour(40, 40) == .red && first.colour(16, 16) == .blue && compositor.counters.drawn == 2)
    compositor.setPicture(try .of(.green, 64, 64), of: "over")
    let second = compositor.compose(timestamp: 1)
    #expect(second.colour(40, 40) == .green && second.colour(16, 16) == .blue && compositor.counters.drawn == 4)
    compositor.setPicture(nil, of: "over")
    #expect(compositor.compose(timestamp: 2).colour(40, 40) == .red)
  }

  @Test("a placeholder is shown while a source has no picture")
  func placeholder() throws {
    let compositor = try compositor(
      [
        Placement(source: "a", frame: PixelFrame(x: 0, y: 0, width: 32, height: 64)),
        Placement(source: "b", frame: PixelFrame(x: 32, y: 0, width: 32, height: 64)),
      ], width: 64, height: 64)
    compositor.setPlaceholder(try .of(.blue, 16, 16), of: "a")
    compositor.setPlaceholder(try .of(.blue, 16, 16), of: "nobody")
    #expect(compositor.compose(timestamp: 0).colour(16, 16) == .blue)
    #expect(compositor.compose(timestamp: 0).colour(48, 16) == .grey)
    compositor.setPicture(try .of(.red, 16, 16), of: "a")
    #expect(compositor.compose(timestamp: 1).colour(16, 16) == .red)
    compositor.setPlaceholder(try .of(.green, 16, 16), of: "a")
    #expect(compositor.compose(timestamp: 2).colour(16, 16) == .red)
    #expect(compositor.counters.unchanged == 2)
    compositor.setPicture(nil, of: "a")
    #expect(compositor.compose(timestamp: 3).colour(16, 16) == .green)
    compositor.setPlaceholder(nil, of: "a")
    #expect(compositor.compose(timestamp: 4).colour(16, 16) == .grey)
  }

  @Test("an invalid canvas is rejected", arguments: [(0, 0), (-2, 4), (100_000, 100_000), (101, 100)])
  func canvas(width: Int, height: Int) throws {
    #expect(throws: CodecError.self) { try Composition<String>(width: width, height: height) }
  }
}
