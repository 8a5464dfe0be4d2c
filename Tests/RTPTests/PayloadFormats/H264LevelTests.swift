import RoomRTP
import Testing

@Suite("H.264 levels (ITU-T H.264, Table A-1)")
struct H264LevelTests {
  @Test(
    "the lowest level that allows a size and a frame rate is selected",
    arguments: [
      (176, 144, 15, .level10), (176, 144, 16, .level11), (352, 288, 15, .level12), (320, 180, 15, .level12),
      (352, 288, 30, .level13), (640, 480, 30, .level30), (720, 480, 30, .level30), (720, 480, 31, .level31),
      (1280, 720, 30, .level31), (720, 1280, 30, .level31), (1280, 720, 31, .level32), (1280, 736, 24, .level32),
      (1920, 1080, 30, .level40), (1080, 1920, 30, .level40), (1920, 1080, 60, .level42), (3840, 2160, 30, .level51),
      (3840, 2160, 60, .level52), (7680, 4320, 30, .level60), (7680, 4320, 120, .level62),
      // 3600 macroblocks, but one side has more than √(8 · 3600) = 169 of them.
      (2720, 320, 20, .level32), (0, -5, 0, .level10), (.max, .max, .max, .level62),
    ] as [(Int, Int, Int, H264Level)])
  func needed(width: Int, height: Int, fps: Int, level: H264Level) {
    #expect(H264Level.needed(width: width, height: height, fps: fps) == level)
  }

  @Test("levels are in order and identified by level_idc", arguments: H264Level.allCases)
  func idc(level: H264Level) {
    #expect(H264Level(idc: level.idc) == level)
    #expect(level.rawValue == "\(level.idc / 10).\(level.idc % 10)")
    #expect(H264Level.allCases == H264Level.allCases.sorted())
    #expect(H264Level(idc: 0) == nil && H264Level(idc: 255) == nil)
  }
}
