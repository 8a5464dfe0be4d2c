import Foundation
import RoomCapture
import RoomCodecs
import RoomPeers
import RoomTestSupport
import Testing

@Suite("Cameras of a driver of the tests' own", .serialized, .timeLimit(.minutes(2)))
struct CameraTests {
  @Test("the list has each camera's formats, sizes, rates and controls, and no node of metadata")
  func list() async throws {
    let driver = try await InterposedDriver(0, 1, 10, 2)
    let (status, text) = try await driver.capture("cameras", "--folder", driver.folder.path)
    #expect(status == 0)
    let headers = text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    #expect(headers == [0, 2, 10].map { "\(driver.path($0)): Fake Camera (usb-fake-1)" })
    #expect(
      text.contains(
        """
          YUYV 320x240 at 30, 15
          YUYV 1280x720 at 30
          NV12 32x32…640x480 by 16x16 at 5…30
          YU12 160x120 at 30
          MJPG 320x240 at 60
          H264 1920x1080 at 30
          brightness (Brightness): 128 of 0…255 by 1, default 128
        """))
    #expect(text.contains("  0x981f00 (Fan Speed): 3 of 0…9 by 1, default 3\n"))
    #expect(text.contains("  exposure-mode (Auto Exposure): 3 of 1 Manual Mode, 3 Aperture Priority Mode, default 3\n"))
    #expect(text.contains("  light (LED Mode): 0 of 0 Off, 1 Flash, 2 Torch, default 0\n"))
  }

  @Test(
    "a picture has the camera's colours",
    arguments: [
      ("YUYV", "1280x720", 30, 1280, 720), ("NV12", "480x320", 30, 480, 320), ("YU12", "160x120", 30, 160, 120),
      ("MJPG", "320x240", 60, 320, 240),
    ])
  func snapshot(code: String, size: String, rate: Int, width: Int, height: Int) async throws {
    let driver = try await InterposedDriver(0)
    let file = driver.folder.appending(path: "out.y4m")
    let (status, text) = try await driver.capture(
      "snapshot", "--camera", driver.path(0), "--size", size, "--rate", "\(rate)", "--skip", "2", "--frames", "2", file.path)
    #expect(status == 0, "\(text)")
    #expect(text.contains("\(code) \(width)x\(height) at \(rate), "))
    #expect(text.contains(" 0 damaged"))
    let bytes = try [UInt8](Data(contentsOf: file))
    let pictureSize = width * height * 3 / 2
    #expect(bytes.starts(with: Array("YUV4MPEG2 W\(width) H\(height) ".utf8)))
    let picture = Array(bytes.suffix(pictureSize))
    try #require(picture.count == pictureSize)
    let (luma, chroma) = (width * height, width * height / 4)
    // In the middle of each half, in the first and in the last row.
    for (row, column, colour) in [
      (0, 1, [81, 90, 240]), (1, 1, [81, 90, 240]), (0, 3, [41, 240, 110]), (1, 3, [41, 240, 110]),
    ] {
      let (x, y) = (width * column / 4, row * (height - 1))
      let at = y / 2 * (width / 2) + x / 2
      let found = [picture[y * width + x], picture[luma + at], picture[luma + chroma + at]].map(Int.init)
      #expect(zip(found, colour).allSatisfy { abs($0 - $1) <= 3 }, "\(code) at \(x), \(y): \(found), not \(colour)")
    }
  }

  @Test("a picture is written as PNG")
  func png() async throws {
    let driver = try await InterposedDriver(0)
    let file = driver.folder.appending(path: "out.png")
    let (status, text) = try await driver.capture(
      "snapshot", "--camera", driver.path(0), "--size", "320x240", "--skip", "0", file.path)
    #expect(status == 0, "\(text)")
    let picture = try Picture(decoding: [UInt8](Data(contentsOf: file)))
    #expect((picture.width, picture.height) == (320, 240))
  }

  @Test("controls are set, and v4l2-ctl reads the same values")
  func controls() async throws {
    let driver = try await InterposedDriver(0)
    for (control, name, value) in [("focus", "focus_absolute", 20), ("light", "led_mode", 2), ("0x981f00", "fan_speed", 7)] {
      let (status, text) = try await driver.capture("set", "--camera", driver.path(0), control, "\(value)")
      #expect(status == 0 && text.contains("): \(value) of "), "\(text)")
      let reader = try driver.start(URL(filePath: "/usr/bin/v4l2-ctl"), ["-d", driver.path(0), "--get-ctrl", name])
      #expect(try await reader.finish() == 0)
      #expect(reader.text.hasPrefix("\(name): \(value)"), "\(reader.text)")
    }
    // Outside the range, a gap in a menu, and a control that the camera lacks.
    for (control, value, reason) in [("focus", 251, "0 to 250"), ("exposure-mode", 2, "0 to 3"), ("0x981f01", 1, "no control")]
    {
      let (status, text) = try await driver.capture("set", "--camera", driver.path(0), control, "\(value)")
      #expect(status != 0 && text.contains(reason), "\(text)")
    }
  }

  @Test("a camera that is unplugged, used or missing ends with its error")
  func failures() async throws {
    let driver = try await InterposedDriver(0, 1)
    let file = driver.folder.appending(path: "out.y4m").path
    func attempt(_ number: Int, _ environment: String...) async throws -> String {
      let (status, text) = try await driver.capture(
        "snapshot", "--camera", driver.path(number), "--size", "320x240", "--frames", "100", file, environment: environment)
      #expect(status != 0)
      return text
    }
    #expect(try await attempt(0, "FAKE_VIDEO_FRAMES=5").contains("\(CameraError.unplugged(path: driver.path(0)))"))
    #expect(try await attempt(0, "FAKE_VIDEO_BUSY=1").contains("\(CameraError.busy(path: driver.path(0)))"))
    #expect(try await attempt(1).contains("\(CameraError.notACamera(path: driver.path(1)))"))
    #expect(try await attempt(2).contains("\(CameraError.notFound(path: driver.path(2)))"))
  }

  @Test("cameras that appear and vanish are reported")
  func hotPlug() async throws {
    let driver = try await InterposedDriver(0)
    let watch = try driver.start(Program.built("capture-devices"), ["watch", "--folder", driver.folder.path])
    try await eventually("the present camera is reported") { watch.text.contains("appeared \(driver.path(0)) Fake Camera\n") }
    try driver.plug(1)
    try driver.plug(2)
    try await eventually("a camera appears") { watch.text.contains("appeared \(driver.path(2)) Fake Camera\n") }
    try driver.unplug(0)
    try await eventually("a camera vanishes") { watch.text.contains("vanished \(driver.path(0))\n") }
    #expect(!watch.text.contains(driver.path(1)))
  }
}
