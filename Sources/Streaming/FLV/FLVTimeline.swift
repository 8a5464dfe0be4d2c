import RoomCodecs
import RoomPush
import RoomRTMP
import RoomRTP

/// Puts encoded pictures and sound on one timeline of FLV messages, which starts at 0 and continues across connections.
struct FLVTimeline: Sendable {
  /// How long one kind waits for the other, in microseconds.
  private static let patience: Int64 = 500_000

  private let hasVideo: Bool
  private let soundHeader: MediaMessage?
  private let audio: AACEncoderSettings?
  private var pictures = PictureStream()
  private var interleaver = Interleaver(patience: Self.patience)
  private var epoch: MediaTime?
  private var lastPicture: Int64 = -1
  private var lastSound: Int64 = 0
  private var metadata: MediaMessage

  /// - Parameters:
  ///   - video: the video settings; nil without video.
  ///   - audio: the audio settings and the encoder's AudioSpecificConfig; nil without audio.
  init(video: VideoEncoderSettings?, audio: (settings: AACEncoderSettings, configuration: [UInt8])?) {
    hasVideo = video != nil
    self.audio = audio?.settings
    soundHeader = audio.map {
      MediaMessage(.audio, timestamp: 0, payload: AudioTag.aacHeader(.sequenceStart) + $0.configuration)
    }
    metadata = Self.metadata(video, audio?.settings)
  }

  /// What a new connection starts with, before the first key frame.
  var preamble: [MediaMessage] {
    let picture = pictures.configuration.map { MediaMessage(.video, timestamp: 0, payload: $0.sequenceHeader) }
    return [metadata, picture, soundHeader].compactMap { $0 }
  }

  /// Changes the video settings that the metadata describe. Returns the messages to send.
  mutating func describe(_ video: VideoEncoderSettings) -> [MediaMessage] {
    metadata = Self.metadata(video, audio)
    return [metadata]
  }

  /// Takes the next picture, in Annex B form with the time of the push. Returns the messages that are now in order.
  mutating func take(_ picture: EncodedPicture, now: Instant) -> [MediaMessage] {
    guard let payloads = pictures.payloads(of: picture.data, isKeyFrame: picture.isKeyFrame) else { return [] }
    let time = max(lastPicture + 1, milliseconds(picture.timestamp))
    lastPicture = time
    for payload in [payloads.sequenceHeader, payloads.picture] {
      if let payload { insert(.video, payload, at: time, now: now) }
    }
    return release(now)
  }

  /// Takes the next AAC frame, with the time of the push. Returns the messages that are now in order.
  mutating func take(sound: [UInt8], at position: MediaTime, now: Instant) -> [MediaMessage] {
    let time = max(lastSound, milliseconds(position))
    lastSound = time
    insert(.audio, AudioTag.aacHeader(.codedFrames) + sound, at: time, now: now)
    return release(now)
  }

  /// The position on the timeline in ms. What is older than the first message has position 0.
  private mutating func milliseconds(_ time: MediaTime) -> Int64 {
    let begin = epoch ?? time
    epoch = begin
    return max(0, (time - begin) / 1000)
  }

  private mutating func insert(_ kind: MediaMessage.Kind, _ payload: [UInt8], at time: Int64, now: Instant) {
    interleaver.insert(
      MediaMessage(kind, timestamp: UInt32(truncatingIfNeeded: time), payload: payload), among: kind,
      time: MediaTime(microseconds: time * 1000), now: now)
  }

  private mutating func release(_ now: Instant) -> [MediaMessage] {
    var messages: [MediaMessage] = []
    while let message = interleaver.next(now: now, hasAudio: audio != nil, hasVideo: hasVideo) { messages.append(message) }
    return messages
  }

  private static func metadata(_ video: VideoEncoderSettings?, _ audio: AACEncoderSettings?) -> MediaMessage {
    var metadata = StreamMetadata()
    if let video {
      metadata.width = video.width
      metadata.height = video.height
      metadata.frameRate = Double(video.fps)
      metadata.videoKilobits = Double(video.bitrate) / 1000
      metadata.videoCodec = 7
    }
    if let audio {
      metadata.audioCodec = 10
      metadata.sampleRate = audio.format.sampleRate
      metadata.isStereo = audio.format.channels == 2
      metadata.audioKilobits = Double(audio.bitrate) / 1000
    }
    metadata.encoder = "RoomStreaming"
    // Always time 0: ffmpeg treats metadata at any other time as a subtitle.
    return metadata.message(timestamp: 0)
  }
}
