import RoomCodecs
import RoomRTP

/// Converts a camera's pictures to I420. One thread uses it.
struct CameraPictures {
  private let setting: CameraSetting
  private let stride: Int?
  private let pool: FramePool
  private let mjpeg: MJPEGDecoder?

  /// - Parameter stride: the bytes from a row to the next; 0 if the driver does not say.
  init(_ setting: CameraSetting, stride: Int, pool: FramePool) throws(CodecError) {
    self.setting = setting
    self.stride = stride > 0 ? stride : nil
    self.pool = pool
    mjpeg = setting.code == .mjpeg ? try MJPEGDecoder() : nil
  }

  /// - Throws: ``CodecError`` if the bytes are incomplete or corrupt. The next picture does not depend on it.
  func frame(_ bytes: UnsafeRawBufferPointer, time: MediaTime) throws(CodecError) -> VideoFrame? {
    let (width, height) = (setting.width, setting.height)
    switch setting.code {
    case .yuyv: return try VideoFrame(yuyv: bytes, width: width, height: height, stride: stride, timestamp: time, pool: pool)
    case .nv12: return try VideoFrame(nv12: bytes, width: width, height: height, stride: stride, timestamp: time, pool: pool)
    case .yu12: return try VideoFrame(i420: bytes, width: width, height: height, stride: stride, timestamp: time, pool: pool)
    default: return try mjpeg?.decode(bytes, timestamp: time, pool: pool)
    }
  }
}
