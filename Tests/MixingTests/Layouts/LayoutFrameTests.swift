import Foundation
import RoomCodecs
import RoomMixing
import RoomProtocol
import RoomTestSupport
import Testing

@Suite("Layout frames")
struct LayoutFrameTests {
  @Test("the halves of a PK are where clients expect them")
  func pk() throws {
    #expect(
      try Layout(.gridTwo).pixelFrames(width: 720, height: 1280) == [
        PixelFrame(x: 0, y: 320, width: 360, height: 640), PixelFrame(x: 360, y: 320, width: 360, height: 640),
      ])
  }

  @Test("each layout has its seats, the host's being the first")
  func seats() throws {
    let counts: [LayoutType: Int] = [
      .oneToOne: 2, .oneToSix: 7, .gridTwo: 2, .gridThree: 3, .gridFour: 4, .gridSeven: 7, .gridNine: 9,
    ]
    for type in LayoutType.allCases where type != .custom {
      let layout = try Layout(type)
      #expect(layout.seatCount == counts[type])
      #expect(layout.canvas == .portrait)
      #expect(layout.frames.allSatisfy { $0.validationError == nil })
      #expect(try Layout(.custom, frames: type.frames).frames == layout.frames)
    }
    #expect(Layout.standard.type == .oneToOne)
  }

  @Test("frames are even, lie on the canvas, and meet without gap or overlap, on every canvas")
  func meeting() throws {
    for type in LayoutType.allCases where type != .custom && type != .oneToOne {
      for (width, height) in sizes {
        let frames = try Layout(type).pixelFrames(width: width, height: height)
        var area = 0
        for (index, frame) in frames.enumerated() {
          #expect([frame.x, frame.y, frame.width, frame.height].allSatisfy { $0 % 2 == 0 })
          #expect(frame.x >= 0 && frame.y >= 0 && frame.width > 0 && frame.height > 0)
          #expect(frame.x + frame.width <= width && frame.y + frame.height <= height)
          for other in frames[..<index] { #expect(frame.intersection(other) == nil, "\(type) \(width)x\(height)") }
          area += frame.width * frame.height
        }
        if [.oneToSix, .gridFour, .gridNine].contains(type) { #expect(area == width * height, "\(type) \(width)x\(height)") }
        // The cells of a grid differ by at most two pixels.
        if type != .oneToSix {
          let (widths, heights) = (frames.map(\.width), frames.map(\.height))
          #expect((widths.max() ?? 0) - (widths.min() ?? 0) <= 2 && (heights.max() ?? 0) - (heights.min() ?? 0) <= 2)
        }
      }
    }
  }

  private var sizes: [(Int, Int)] {
    var random = SeededGenerator(seed: 5)
    return [(720, 1280), (64, 64), (1280, 720), (4096, 2304), (66, 4094), (368, 640), (426, 240), (962, 722)]
      + (0..<200).map { _ in (2 * Int.random(in: 32...2048, using: &random), 2 * Int.random(in: 32...2048, using: &random)) }
  }

  @Test("frames meet despite rounding errors in sums")
  func sums() throws {
    let tenth = { (from: Int, count: Int) in
      SeatFrame(x: (0..<from).reduce(0) { sum, _ in sum + 0.1 }, y: 0, width: Double(count) / 10, height: 1)
    }
    let layout = try Layout(.custom, frames: [tenth(0, 3), tenth(3, 4), tenth(7, 2), tenth(9, 1)])
    for width in stride(from: 64, through: 4096, by: 2) {
      let frames = layout.pixelFrames(width: width, height: 64)
      for (left, right) in zip(frames, frames.dropFirst()) { #expect(left.x + left.width == right.x, "\(width)") }
      #expect(frames.last.map { $0.x + $0.width } == width)
    }
  }

  @Test("an invalid layout is rejected with the field's name")
  func refusals() {
    let good = SeatFrame(x: 0, y: 0, width: 1, height: 1)
    func validationError(_ change: (inout SeatFrame) -> Void) -> String {
      var frame = good
      change(&frame)
      do {
        _ = try Layout(.custom, frames: [good, good, frame])
        return "none"
      } catch { return error.description }
    }
    for (text, change) in [
      ("frames[2].x: nan", { $0.x = .nan }), ("frames[2].x: -0.1", { $0.x = -0.1 }), ("frames[2].y: inf", { $0.y = .infinity }),
      ("frames[2].y: 1.5", { $0.y = 1.5 }), ("frames[2].width: 0.0", { $0.width = 0 }),
      ("frames[2].width: nan", { $0.width = .nan }),
      ("frames[2].width: 1e+300", { $0.width = 1e300 }), ("frames[2].height: -1.0", { $0.height = -1 }),
      ("frames[2].width: the frame ends at 1.5", { $0.x = 0.5 }), ("frames[2].height: the frame ends at 1.25", { $0.y = 0.25 }),
      ("frames[2].zIndex: 9223372036854775807", { $0.zIndex = .max }),
      ("frames[2].cornerRadius: 0.75", { $0.cornerRadius = 0.75 }),
      ("frames[2].cornerRadius: nan", { $0.cornerRadius = .nan }),
    ] as [(String, (inout SeatFrame) -> Void)] {
      let validationError = validationError(change)
      #expect(validationError.hasPrefix(text), "\(validationError)")
    }
    for (text, type, canvas, frames) in [
      ("frames: a custom layout needs", .custom, nil, nil), ("frames: a custom layout needs", .custom, nil, []),
      ("frames: 17 are too many", .custom, nil, Array(repeating: good, count: 17)),
      ("frames: gridTwo has built-in frames", .gridTwo, nil, [good]),
      ("canvas.width: 0 pixels", .gridTwo, CanvasSize(width: 0, height: 64), nil),
      ("canvas.height: -64 pixels", .custom, CanvasSize(width: 64, height: -64), [good]),
      ("canvas.width: 100000 pixels", .gridNine, CanvasSize(width: 100_000, height: 100_000), nil),
      ("canvas.height: 99 is odd", .gridNine, CanvasSize(width: 100, height: 99), nil),
      ("canvas.width: 1922 pixels; must be 64 to 1920", .gridNine, CanvasSize(width: 1922, height: 64), nil),
    ] as [(String, LayoutType, CanvasSize?, [SeatFrame]?)] {
      do {
        _ = try Layout(type, canvas: canvas, frames: frames)
        Issue.record("\(text): accepted")
      } catch { #expect(error.description.hasPrefix(text), "\(error)") }
    }
  }

  @Test("any numbers give frames and do not trap")
  func anything() throws {
    let values = [Double.nan, .infinity, -.infinity, -1, 0, 1e-300, 0.5, 1, 1e300, .greatestFiniteMagnitude]
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    for x in values {
      for width in values {
        let params = LayoutParams(
          .custom, frames: [SeatFrame(x: x, y: width, width: width, height: x, zIndex: .min, cornerRadius: width)])
        #expect((try? params.layout()) == nil || (0...1).contains(x + width))
        // A decoded layout has not been validated.
        let json = String(decoding: try encoder.encode(params), as: UTF8.self)
          .replacing("\"type\":", with: "\"canvas\":{\"width\":720,\"height\":1280},\"type\":")
        let layout = try decoder.decode(Layout.self, from: Data(json.utf8))
        for size in [0, -2, 2, 101, 720, Int.max] { _ = layout.pixelFrames(width: size, height: size) }
      }
    }
  }

  @Test("JSON: types by name; height and corners are optional")
  func json() throws {
    #expect(
      LayoutType.allCases.map(\.rawValue) == [
        "oneToOne", "oneToSix", "gridTwo", "gridThree", "gridFour", "gridSeven", "gridNine", "custom",
      ])
    let text = #"{"type":"custom","canvas":{"width":720,"height":1280},"frames":[{"x":0,"y":0.5,"width":1,"height":0.5}]}"#
    let params = try JSONDecoder().decode(LayoutParams.self, from: Data(text.utf8))
    let layout = try params.layout()
    #expect(layout.frames == [SeatFrame(x: 0, y: 0.5, width: 1, height: 0.5)])
    #expect(try JSONDecoder().decode(Layout.self, from: JSONEncoder().encode(layout)) == layout)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(LayoutParams.self, from: Data(#"{"type":"gridTen"}"#.utf8)) }
  }
}
