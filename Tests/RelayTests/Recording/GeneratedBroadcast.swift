import RoomCodecs
import RoomRTMP
import RoomRTP

/// The messages of a broadcast: real H.264 and AAC in virtual time, in timestamp order, with a sequence header at each change
/// of picture size.
final class GeneratedBroadcast {
  static let fps: Int64 = 15

  /// Whether there is video from now on.
  var hasVideo = true
  var hasAudio = true
  /// The number of pictures between two key frames.
  var gop: Int64 = 30
  /// The number of pictures sent.
  private(set) var pictures = 0
  private(set) var sounds = 0

  private let start: UInt32
  private var now: Int64 = 0
  private var picture: Int64 = 0
  private var sound: Int64 = 0
  private var sincePicture: Int64 = 0
  private var encoder: H264Encoder?
  private var pattern: TestPattern?
  private var size = (width: 320, height: 180)
  private let aac: AACEncoder
  private var tone = ToneGenerator(frequency: 440, format: AudioFormat(sampleRate: 44_100, channels: 2))
  private var sentSoundHeader = false

  /// - Parameter start: The first timestamp.
  init(start: UInt32 = 0) throws {
    self.start = start
    aac = try AACEncoder()
  }

  /// Puts another program on air, with pictures of this size.
  func takeOver(width: Int, height: Int) {
    size = (width, height)
    encoder = nil
  }

  /// Returns the messages of the next `duration` ms.
  func messages(for duration: Int64) throws -> [MediaMessage] {
    let end = now + duration
    var all: [MediaMessage] = []
    while true {
      let pictureTime = picture * 1000 / Self.fps
      let soundTime = sound * 1024 * 1000 / 44_100
      guard min(pictureTime, soundTime) < end else { break }
      if pictureTime <= soundTime {
        if hasVideo { all += try encodePicture(at: pictureTime) }
        picture += 1
      } else {
        if let data = try aac.encode(tone.next(1024)), hasAudio {
          if !sentSoundHeader {
            sentSoundHeader = true
            all.append(message(.audio, soundTime, AudioTag.aacHeader(.sequenceStart) + aac.audioSpecificConfig))
          }
          all.append(message(.audio, soundTime, AudioTag.aacHeader(.codedFrames) + data))
          sounds += 1
        }
        sound += 1
      }
    }
    now = end
    return all
  }

  private func encodePicture(at time: Int64) throws -> [MediaMessage] {
    let isNew = encoder == nil
    let encoder = try encoder ?? makeEncoder()
    self.encoder = encoder
    guard let pattern else { return [] }
    if isNew { sincePicture = 0 }
    let frame = try pattern.frame(number: Int(picture), milliseconds: time, timestamp: MediaTime(milliseconds: time))
    guard let encoded = try encoder.encode(frame, forceKeyFrame: sincePicture % gop == 0) else { return [] }
    sincePicture += 1
    pictures += 1
    let unit = encoded.data.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0) }
    var all: [MediaMessage] = []
    if isNew {
      let configuration = AVCConfiguration(
        sequenceParameters: unit.sequenceParameters, pictureParameters: unit.pictureParameters)
      all.append(message(.video, time, configuration?.sequenceHeader ?? []))
      // Like a broadcast, it announces upcoming audio before the first picture.
      if hasAudio, !sentSoundHeader {
        sentSoundHeader = true
        all.append(message(.audio, time, AudioTag.aacHeader(.sequenceStart) + aac.audioSpecificConfig))
      }
    }
    all.append(message(.video, time, VideoTag.avcHeader(.codedFrames, isKeyFrame: unit.isKeyFrame) + unit.data))
    return all
  }

  private func makeEncoder() throws -> H264Encoder {
    pattern = try TestPattern(width: size.width, height: size.height, index: size.width)
    return try H264Encoder(
      VideoEncoderSettings(width: size.width, height: size.height, fps: Int(Self.fps), bitrate: 200_000, keyFrameInterval: 0),
      speed: .ultrafast)
  }

  private func message(_ kind: MediaMessage.Kind, _ time: Int64, _ payload: [UInt8]) -> MediaMessage {
    MediaMessage(kind, timestamp: start &+ UInt32(truncatingIfNeeded: time), payload: payload)
  }
}
