import RoomCapture
import RoomCodecs
import RoomTestSupport
import Synchronization
import Testing

@Suite("A captured screen", .serialized, .timeLimit(.minutes(2)))
struct ScreenCaptureTests {
  /// The pictures of a capture.
  private final class Pictures: Sendable {
    private let kept = Mutex<(latest: VideoFrame?, count: Int, isOrdered: Bool)>((nil, 0, true))

    func add(_ frame: VideoFrame) {
      kept.withLock { kept in
        if let latest = kept.latest, frame.timestamp <= latest.timestamp { kept.isOrdered = false }
        kept = (frame, kept.count + 1, kept.isOrdered)
      }
    }

    var latest: VideoFrame? { kept.withLock { $0.latest } }
    var count: Int { kept.withLock { $0.count } }
    var isOrdered: Bool { kept.withLock { $0.isOrdered } }
  }

  /// Returns whether the square of the painted window is at a place of a picture.
  private func shows(_ frame: VideoFrame?, at x: Int, _ y: Int, side: Int = 100) -> Bool {
    guard let frame, x + side <= frame.width, y + side <= frame.height else { return false }
    // The luma and chroma of red, green, blue and white in BT.601, limited range.
    let expected: [(y: Int, u: Int, v: Int)] = [(82, 90, 240), (145, 54, 34), (41, 240, 110), (235, 128, 128)]
    return frame.withPlanes { planes in
      expected.enumerated().allSatisfy { index, colour in
        let column = x + side / 4 + index % 2 * side / 2
        let row = y + side / 4 + index / 2 * side / 2
        let luma = Int(planes.y[row * planes.yStride + column])
        let chroma = row / 2 * planes.chromaStride + column / 2
        return abs(luma - colour.y) < 4 && abs(Int(planes.u[chroma]) - colour.u) < 4
          && abs(Int(planes.v[chroma]) - colour.v) < 4
      }
    }
  }

  @Test("a screen, a rectangle and a covered window show their colours; a window is followed until it is closed")
  func captures() async throws {
    let display = try await VirtualDisplay()
    let window = try PaintedWindow(on: display.name, title: "four colours", x: 200, y: 100)

    let devices = try ScreenDevices(display: display.name)
    #expect(devices.monitors.first?.area == ScreenArea(x: 0, y: 0, width: 640, height: 480))
    #expect(devices.windows.contains { $0.id == window.id && $0.title == "four colours" && $0.width == 100 })

    let (screen, part, own) = (Pictures(), Pictures(), Pictures())
    let all = try ScreenCapture(.screen, display: display.name, fps: 30) { screen.add($0) }
    try await eventually("the screen shows the window") { shows(screen.latest, at: 200, 100) && screen.count > 10 }
    #expect(screen.isOrdered)
    all.stop()
    let area = try ScreenCapture(.area(ScreenArea(x: 190, y: 90, width: 601, height: 121)), display: display.name) {
      part.add($0)
    }
    try await eventually("the rectangle shows it, cut at the edge of the screen") {
      shows(part.latest, at: 10, 10) && part.latest?.width == 450 && part.latest?.height == 120
    }
    area.stop()

    let capture = try ScreenCapture(.window(window.id), display: display.name, fps: 30) { own.add($0) }
    try await eventually("the window's picture is the window alone") { shows(own.latest, at: 0, 0) && own.latest?.width == 100 }
    let cover = try PaintedWindow(on: display.name, title: "cover", x: 150, y: 50, side: 300)
    let covered = own.count
    try await eventually("another window over it is not in the picture") {
      own.count > covered + 5 && shows(own.latest, at: 0, 0)
    }
    window.place(x: 20, y: 30, width: 160, height: 121)
    try await eventually("it is followed to another place and size") {
      own.latest?.width == 160 && own.latest?.height == 120 && shows(own.latest, at: 0, 0)
    }
    window.close()
    try await eventually("the capture ends with the window") { capture.failure == .windowClosed(window.id) }
    cover.close()
    display.stop()
  }

  /// Returns whether a picture has magenta in this rectangle.
  private func isMagenta(_ frame: VideoFrame?, _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) -> Bool {
    guard let frame, columns.upperBound < frame.width, rows.upperBound < frame.height else { return false }
    return frame.withPlanes { planes in
      rows.allSatisfy { row in
        columns.allSatisfy { column in
          let chroma = row / 2 * planes.chromaStride + column / 2
          return abs(Int(planes.u[chroma]) - 202) < 6 && abs(Int(planes.v[chroma]) - 222) < 6
        }
      }
    }
  }

  @Test("the pointer is where it points on the screen, in a rectangle and in a window, cut at their edges, and can be left out")
  func pointer() async throws {
    let display = try await VirtualDisplay()
    let window = try PaintedWindow(on: display.name, title: "pointed at", x: 200, y: 100)
    let (screen, part, own, without) = (Pictures(), Pictures(), Pictures(), Pictures())
    let captures = [
      try ScreenCapture(.screen, display: display.name) { screen.add($0) },
      try ScreenCapture(.area(ScreenArea(x: 190, y: 90, width: 60, height: 60)), display: display.name) { part.add($0) },
      try ScreenCapture(.window(window.id), display: display.name) { own.add($0) },
      try ScreenCapture(.screen, display: display.name, showsPointer: false) { without.add($0) },
    ]
    window.point(at: 30, 40)
    try await eventually("the screen shows it") { isMagenta(screen.latest, 230...245, 140...155) }
    #expect(!isMagenta(screen.latest, 228...229, 140...155) && !isMagenta(screen.latest, 246...247, 140...155))
    try await eventually("the rectangle shows its part") { isMagenta(part.latest, 40...55, 50...59) }
    try await eventually("the window shows it") { isMagenta(own.latest, 30...45, 40...55) }
    let count = without.count
    try await eventually("a capture without it shows the window") { without.count > count + 3 }
    #expect(shows(without.latest, at: 200, 100))
    window.point(at: 94, 96)
    try await eventually("it is cut at the window's corner") { isMagenta(own.latest, 94...99, 96...99) }
    for capture in captures { capture.stop() }
    display.stop()
  }

  @Test("a feed changes from the screen to a window and back while live, in order of time") func switches() async throws {
    let display = try await VirtualDisplay()
    let window = try PaintedWindow(on: display.name, title: "own", x: 0, y: 0)
    let pictures = Pictures()
    let feed = CaptureFeed { pictures.add($0) }
    for _ in 0..<3 {
      try feed.start { try ScreenCapture(.screen, display: display.name, fps: 30, deliver: $0) }
      try await eventually("the screen") { pictures.latest?.width == 640 }
      try feed.start { try ScreenCapture(.window(window.id), display: display.name, fps: 30, deliver: $0) }
      try await eventually("the window") { pictures.latest?.width == 100 }
    }
    #expect(throws: ScreenError.self) { try feed.start { try ScreenCapture(.window(1), display: display.name, deliver: $0) } }
    let count = pictures.count
    try await eventually("after a start that failed, the window's pictures continue") { pictures.count > count + 3 }
    window.close()
    try await eventually("the feed reports why it has no pictures") {
      feed.failure as? ScreenError == .windowClosed(window.id)
    }
    try feed.start { try ScreenCapture(.screen, display: display.name, fps: 30, deliver: $0) }
    try await eventually("the screen again") { pictures.latest?.width == 640 && feed.failure == nil }
    feed.stop()
    #expect(pictures.isOrdered)
    display.stop()
  }

  @Test("a display, a window and a rectangle that do not exist are errors; a display that ends is one, too")
  func missing() async throws {
    #expect(throws: ScreenError.noDisplay(":65000")) { try ScreenDevices(display: ":65000") }
    let display = try await VirtualDisplay()
    #expect(throws: ScreenError.notFound("window 1")) { try ScreenCapture(.window(1), display: display.name) { _ in } }
    #expect(throws: ScreenError.notFound("such rectangle")) {
      try ScreenCapture(.area(ScreenArea(x: 700, y: 0, width: .max, height: 2)), display: display.name) { _ in }
    }
    let pictures = Pictures()
    let capture = try ScreenCapture(.screen, display: display.name) { pictures.add($0) }
    try await eventually("pictures") { pictures.count > 0 }
    display.stop()
    try await eventually("the capture ends with the display") { capture.failure == .connectionLost }
  }
}
