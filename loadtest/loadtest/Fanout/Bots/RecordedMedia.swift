import RoomCodecs
import RoomRTP

/// Several seconds of VP8 and Opus, encoded once and replayed by all publishers of a run.
struct RecordedMedia: Sendable {
  /// Duration of a 20 ms Opus packet, in RTP ticks and in microseconds.
  static let audioTicks: UInt32 = 960
  static let audioInterval: Int64 = 20_000
  private static let seconds = 10
  private static let audioBitrate = 32_000

  /// VP8 frames. The first one is a key frame; there are others only if an interval was given.
  var video: [EncodedPicture]
  /// Opus packets.
  var audio: [[UInt8]]
  var fps: Int

  var videoTicks: UInt32 { UInt32(90_000 / fps) }
  var videoInterval: Int64 { Int64(1_000_000 / fps) }

  /// Video bitrate in bps.
  var videoBitrate: Int { video.reduce(0) { $0 + $1.data.count } * 8 * fps / max(1, video.count) }

  /// Encodes a moving picture with enough noise to use up the bitrate.
  /// - Parameters:
  ///   - bitrate: video bitrate in bps.
  ///   - keyFrameInterval: frames from one key frame to the next; 0 encodes one alone. The recording is a multiple of it.
  ///   - seed: seed of the noise.
  ///   - noise: the largest value that is added to a pixel, a power of two less one.
  ///   - temporalLayers: the number of temporal layers, 1…3.
  ///   - hasNoisyKeyFrame: whether key frames have noise too. Without, they are about as large as an encoder for calls makes them.
  init(
    bitrate: Int, width: Int = 640, height: Int = 360, fps: Int = 25, keyFrameInterval: Int = 0, seed: UInt64,
    noise amount: UInt64 = 15, temporalLayers: Int = 1, hasNoisyKeyFrame: Bool = true
  ) throws {
    self.fps = fps
    let encoder = try VP8Encoder(
      VideoEncoderSettings(
        width: width, height: height, fps: fps, bitrate: bitrate, keyFrameInterval: keyFrameInterval,
        temporalLayers: temporalLayers))
    let pattern = try TestPattern(width: width, height: height)
    var noise = Noise(state: seed)
    video = []
    let interval = max(1, keyFrameInterval)
    for number in 0..<((Self.seconds * fps + interval - 1) / interval * interval) {
      let time = MediaTime(ticks: Int64(number), rate: Int64(fps))
      var frame = try pattern.frame(number: number, milliseconds: time.milliseconds, timestamp: time)
      let isPlain = !hasNoisyKeyFrame && (keyFrameInterval > 0 ? number % keyFrameInterval == 0 : number == 0)
      if !isPlain {
        frame.withMutablePlanes { planes in
          for row in 0..<planes.height {
            let line = planes.y + row * planes.yStride
            for column in 0..<planes.width { line[column] = line[column] &+ UInt8(truncatingIfNeeded: noise.next() & amount) }
          }
        }
      }
      if let picture = try encoder.encode(frame) { video.append(picture) }
    }
    var tone = ToneGenerator(frequency: 440)
    let opus = try OpusEncoder(OpusEncoderSettings(bitrate: Self.audioBitrate))
    audio = try (0..<50).map { _ in try opus.encode(tone.next(OpusEncoder.frameCount)) }
  }
}

/// xorshift64: the quality is sufficient for noise, and debug builds need the speed.
private struct Noise {
  var state: UInt64

  init(state: UInt64) { self.state = state | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
