import RoomCodecs
import RoomRTMP
import RoomRTP

@testable import RoomLiveOrigin

/// A real stream of 320x180 pictures and a tone, encoded like a publisher's, in virtual time.
final class EncodedStream {
  struct Shape {
    var width = 320
    var height = 180
    var fps = 15
    var keyFrames = 30
    var sampleRate = 44_100
    var hasVideo = true
    var hasAudio = true
    /// The start time in ms.
    var start: Int64 = 0
  }

  let shape: Shape
  private let pattern: TestPattern
  private let video: H264Encoder
  private let audio: AACEncoder
  private var tone: ToneGenerator
  private var pictures = 0
  private var frames = 0
  private var sentHeaders = false

  init(_ shape: Shape = Shape()) throws {
    self.shape = shape
    pattern = try TestPattern(width: shape.width, height: shape.height, index: 1)
    video = try H264Encoder(
      VideoEncoderSettings(
        width: shape.width, height: shape.height, fps: shape.fps, bitrate: 300_000, keyFrameInterval: shape.keyFrames),
      speed: .ultrafast)
    let format = AudioFormat(sampleRate: shape.sampleRate, channels: 1)
    audio = try AACEncoder(AACEncoderSettings(format: format, bitrate: 64_000))
    tone = ToneGenerator(frequency: 440, format: format)
  }

  /// Returns the messages up to this time in ms, in timestamp order.
  func messages(until end: Int64) throws -> [LiveMedia] {
    var all: [LiveMedia] = []
    func add(_ kind: MediaMessage.Kind, _ time: Int64, _ payload: [UInt8], isKeyFrame: Bool = false) {
      let message = MediaMessage(kind, timestamp: UInt32(truncatingIfNeeded: time), payload: payload)
      all.append(LiveMedia(message, time: MediaTime(milliseconds: time), isKeyFrame: isKeyFrame))
    }
    while true {
      let pictureTime = shape.start + Int64(pictures * 1000 / shape.fps)
      let soundTime = shape.start + Int64(frames * 1024 * 1000 / shape.sampleRate)
      if shape.hasVideo, !shape.hasAudio || pictureTime <= soundTime {
        guard pictureTime < end else { break }
        let frame = try pattern.frame(
          number: pictures, milliseconds: pictureTime, timestamp: MediaTime(milliseconds: pictureTime))
        pictures += 1
        guard let encoded = try video.encode(frame) else { continue }
        var unit = encoded.data.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0) }
        let configuration = AVCConfiguration(
          sequenceParameters: unit.sequenceParameters, pictureParameters: unit.pictureParameters)
        // Like broadcasts, it repeats the parameter sets.
        if let configuration { unit.insert(configuration, behind: 0) }
        if !sentHeaders {
          sentHeaders = true
          add(.video, pictureTime, configuration?.sequenceHeader ?? [])
          if shape.hasAudio { add(.audio, pictureTime, soundHeader) }
        }
        add(
          .video, pictureTime, VideoTag.avcHeader(.codedFrames, isKeyFrame: unit.isKeyFrame) + unit.data,
          isKeyFrame: unit.isKeyFrame)
      } else {
        guard soundTime < end else { break }
        if !shape.hasVideo, !sentHeaders {
          sentHeaders = true
          add(.audio, soundTime, soundHeader)
        }
        // The encoder's first output comes with the second frame.
        if let data = try audio.encode(tone.next(1024)) {
          add(.audio, soundTime, AudioTag.aacHeader(.codedFrames) + data)
        }
        frames += 1
      }
    }
    return all
  }

  private var soundHeader: [UInt8] { AudioTag.aacHeader(.sequenceStart) + audio.audioSpecificConfig }
}
