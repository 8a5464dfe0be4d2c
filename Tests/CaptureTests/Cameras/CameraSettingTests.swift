import RoomCapture
import Testing

@Suite("The setting of a camera")
struct CameraSettingTests {
  private static func format(_ code: FourCC, _ width: Int, _ height: Int, _ rates: Double...) -> CameraFormat {
    CameraFormat(code: code, width: .init(width), height: .init(height), rates: rates.map { $0...$0 })
  }

  /// A usual webcam: large pictures are fast only as JPEG.
  private static let webcam = [
    format(.yuyv, 640, 480, 30, 15), format(.yuyv, 1280, 720, 10, 5), format(.mjpeg, 640, 480, 30),
    format(.mjpeg, 1280, 720, 60, 30), format(FourCC("H264"), 1920, 1080, 30),
  ]

  @Test(
    "the size counts first, then the frame rate, then the cost",
    arguments: [
      // wanted width, height and rate; chosen code, width, height and rate
      (1280, 720, 30.0, FourCC.mjpeg, 1280, 720, 30.0),
      (1280, 720, 10, .yuyv, 1280, 720, 10),
      (640, 480, 30, .yuyv, 640, 480, 30),
      (600, 400, 20, .yuyv, 640, 480, 15),
      (1920, 1080, 120, .mjpeg, 1280, 720, 60),
    ])
  func nearest(width: Int, height: Int, rate: Double, code: FourCC, chosenWidth: Int, chosenHeight: Int, chosenRate: Double) {
    #expect(
      CameraSetting.nearest(width: width, height: height, rate: rate, in: Self.webcam)
        == CameraSetting(code: code, width: chosenWidth, height: chosenHeight, rate: chosenRate))
  }

  @Test("a range has sizes in steps and any rate")
  func range() {
    let format = CameraFormat(
      code: .nv12, width: .init(32, to: 650, step: 16), height: .init(32, to: 480, step: 16), rates: [5...29.97])
    #expect(
      CameraSetting.nearest(width: 321, height: 250, rate: 30, in: [format])
        == CameraSetting(code: .nv12, width: 320, height: 256, rate: 29.97))
    // The last step of the width ends at 640.
    #expect(
      CameraSetting.nearest(width: 5000, height: 1, rate: 12.5, in: [format])
        == CameraSetting(code: .nv12, width: 640, height: 32, rate: 12.5))
  }

  @Test("29.97 is as good as 30, so the cheaper format is chosen")
  func almostEqual() {
    let formats = [Self.format(.mjpeg, 640, 480, 30), Self.format(.nv12, 640, 480, 29.97)]
    #expect(CameraSetting.nearest(width: 640, height: 480, rate: 30, in: formats)?.code == .nv12)
  }

  @Test("a camera without rates is used, one without a known format is not")
  func unusual() {
    let setting = CameraSetting.nearest(width: 64, height: 64, rate: 30, in: [Self.format(.yu12, 160, 120)])
    #expect(setting == CameraSetting(code: .yu12, width: 160, height: 120, rate: nil))
    #expect(CameraSetting.nearest(width: 64, height: 64, rate: 30, in: [Self.format(FourCC("H264"), 64, 64, 30)]) == nil)
  }

  @Test("codes are four characters")
  func codes() {
    #expect(FourCC.yuyv.rawValue == 0x5659_5559)
    #expect(FourCC("Y16").description == "Y16")
  }
}
