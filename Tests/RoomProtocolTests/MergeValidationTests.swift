import RoomProtocol
import Testing

@Suite("Validation of a merge job")
struct MergeValidationTests {
  private static let good = MergeParams(
    jobId: "pk", width: 320, height: 180, watermarks: [Watermark(image: "logo", x: 0, y: 0)],
    texts: [MergeText(text: "a", x: 0, y: 0)],
    layouts: [TrackLayout(userId: "a", x: 0, y: 0, width: 160, height: 180)])

  /// A parameter with a minimum and a maximum.
  struct Bounded: Sendable, CustomTestStringConvertible {
    var name: String
    var range: ClosedRange<Int>
    /// The difference between two valid values.
    var step = 1
    var set: @Sendable (inout MergeParams, Int) -> Void
    var testDescription: String { name }
  }

  static let numbers: [Bounded] = [
    Bounded(name: "width", range: 16...1920, step: 2) { $0.width = $1 },
    Bounded(name: "height", range: 16...1920, step: 2) { $0.height = $1 }, Bounded(name: "fps", range: 1...60) { $0.fps = $1 },
    Bounded(name: "videoKbps", range: 50...20_000) { $0.videoKbps = $1 },
    Bounded(name: "minKbps", range: 10...20_000) { $0.minKbps = $1 }, Bounded(name: "gop", range: 1...600) { $0.gop = $1 },
    Bounded(name: "audioKbps", range: 32...320) { $0.audioKbps = $1 },
    Bounded(name: "layouts[0].x", range: -8192...8192) { $0.layouts[0].x = $1 },
    Bounded(name: "layouts[0].y", range: -8192...8192) { $0.layouts[0].y = $1 },
    Bounded(name: "layouts[0].width", range: 1...8192) { $0.layouts[0].width = $1 },
    Bounded(name: "layouts[0].height", range: 1...8192) { $0.layouts[0].height = $1 },
    Bounded(name: "layouts[0].zIndex", range: -1000...1000) { $0.layouts[0].zIndex = $1 },
    Bounded(name: "layouts[0].cornerRadius", range: 0...4096) { $0.layouts[0].cornerRadius = $1 },
    Bounded(name: "watermarks[0].x", range: -8192...8192) { $0.watermarks?[0].x = $1 },
    Bounded(name: "watermarks[0].y", range: -8192...8192) { $0.watermarks?[0].y = $1 },
    Bounded(name: "watermarks[0].width", range: 1...1920) { $0.watermarks?[0].width = $1 },
    Bounded(name: "watermarks[0].height", range: 1...1920) { $0.watermarks?[0].height = $1 },
    Bounded(name: "texts[0].x", range: -8192...8192) { $0.texts?[0].x = $1 },
    Bounded(name: "texts[0].y", range: -8192...8192) { $0.texts?[0].y = $1 },
    Bounded(name: "texts[0].size", range: 8...200) { $0.texts?[0].size = $1 },
  ]

  @Test("a number is accepted up to both ends of its range, and the error names it beyond them", arguments: numbers)
  func bounds(number: Bounded) {
    func validationError(_ value: Int) -> String? {
      var params = Self.good
      number.set(&params, value)
      return params.validationError
    }
    for value in [number.range.lowerBound, number.range.upperBound] { #expect(validationError(value) == nil, "\(value)") }
    for value in [number.range.lowerBound - number.step, number.range.upperBound + number.step, .min, .max] {
      #expect(validationError(value)?.hasPrefix("\(number.name):") == true, "\(value)")
    }
  }

  @Test("gains, opacities, texts and lists have limits too; NaN is rejected")
  func others() {
    func validationError(_ change: (inout MergeParams) -> Void) -> String? {
      var params = Self.good
      change(&params)
      return params.validationError
    }
    for gain in [0, 1.5, 4] { #expect(validationError { $0.layouts[0].gain = gain } == nil) }
    for gain in [-0.001, 4.001, .nan, .infinity, -.infinity] {
      #expect(validationError { $0.layouts[0].gain = gain }?.hasPrefix("layouts[0].gain:") == true, "\(gain)")
    }
    for opacity in [0, 0.5, 1] { #expect(validationError { $0.watermarks?[0].opacity = opacity } == nil) }
    for opacity in [-0.001, 1.001, .nan, .infinity] {
      #expect(
        validationError { $0.watermarks?[0].opacity = opacity }?.hasPrefix("watermarks[0].opacity:") == true, "\(opacity)")
    }
    let long = String(repeating: "爱", count: 64)
    #expect(validationError { $0.texts?[0].text = long } == nil)
    #expect(validationError { $0.texts?[0].text = long + "a" } == "texts[0].text: at most 64 characters")
    #expect(validationError { $0.layouts[0].placeholder = long } == nil)
    #expect(validationError { $0.layouts[0].placeholder = long + "a" } == "layouts[0].placeholder: at most 64 characters")
    #expect(validationError { $0.layouts = Array(repeating: $0.layouts[0], count: 32) } == nil)
    #expect(validationError { $0.layouts = Array(repeating: $0.layouts[0], count: 33) } == "layouts: at most 32")
    #expect(validationError { $0.layouts = [] } == nil)
    for colour in ["#000000", "#FfFfFf"] { #expect(validationError { $0.background = MergeBackground(colour: colour) } == nil) }
    for colour in ["", "#", "red", "#fffff", "#fffffff", "#gggggg", "#+12345", "#-12345", "#１１", "0ffffff"] {
      #expect(validationError { $0.background = MergeBackground(colour: colour) } == "background.colour: #RRGGBB", "\(colour)")
    }
  }
}
