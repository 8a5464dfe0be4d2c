import RoomRTMP
import RoomRTP

@testable import RoomLiveOrigin

/// Messages that look like H.264 and AAC, for code that does not decode them.
struct GeneratedStream {
  static let pictureHeader = configuration(level: 0x1e)

  /// Returns a sequence header for 320x180. Another level gives another configuration.
  static func configuration(level: UInt8) -> [UInt8] {
    let set: [UInt8] = [
      0x67, 0x42, 0xc0, level, 0xda, 0x05, 0x07, 0xe8, 0x40, 0, 0, 3, 0, 0x40, 0, 0, 7, 0x83, 0xc6, 0x0c, 0xa8,
    ]
    return AVCConfiguration(sequenceParameters: [set], pictureParameters: [[0x68, 0xce, 0x3c, 0x80]])?.sequenceHeader ?? []
  }

  static let soundHeader = AudioSpecificConfig(sampleRate: 48_000, channels: 2).sequenceHeader

  static func header(_ kind: MediaMessage.Kind, _ payload: [UInt8], at time: Int64) -> LiveMedia {
    LiveMedia(
      MediaMessage(kind, timestamp: UInt32(truncatingIfNeeded: time), payload: payload), time: MediaTime(milliseconds: time),
      isKeyFrame: false)
  }

  static func picture(_ time: Int64, isKeyFrame: Bool = false, bytes: Int = 100) -> LiveMedia {
    let unit: [UInt8] = [0, 0, 0, UInt8(truncatingIfNeeded: min(bytes, 250)), isKeyFrame ? 0x65 : 0x41]
    let payload =
      VideoTag.avcHeader(.codedFrames, isKeyFrame: isKeyFrame) + unit + [UInt8](repeating: 1, count: max(0, bytes - 1))
    return LiveMedia(
      MediaMessage(.video, timestamp: UInt32(truncatingIfNeeded: time), payload: payload), time: MediaTime(milliseconds: time),
      isKeyFrame: isKeyFrame)
  }

  static func sound(_ time: Int64) -> LiveMedia {
    let payload = AudioTag.aacHeader(.codedFrames) + [UInt8](repeating: 2, count: 60)
    return LiveMedia(
      MediaMessage(.audio, timestamp: UInt32(truncatingIfNeeded: time), payload: payload), time: MediaTime(milliseconds: time),
      isKeyFrame: false)
  }

  /// Returns pictures at 25 per second with key frames at multiples of `keyFrames`, and audio, within these ms.
  static func span(
    _ times: Range<Int64>, keyFrames: Int64 = 2000, video: Bool = true, audio: Bool = true, bytes: Int = 100
  ) -> [LiveMedia] {
    var all: [LiveMedia] = []
    for time in times {
      if video, time % 40 == 0 { all.append(picture(time, isKeyFrame: time % keyFrames == 0, bytes: bytes)) }
      // 1024 samples at 48 kHz are 21.33 ms.
      if audio, (time * 48 + 1023) / 1024 * 1024 / 48 == time { all.append(sound(time)) }
    }
    return all
  }

  static func headers(at time: Int64 = 0, level: UInt8 = 0x1e) -> [LiveMedia] {
    [header(.video, configuration(level: level), at: time), header(.audio, soundHeader, at: time)]
  }
}
