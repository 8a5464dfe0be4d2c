import RoomCClient
import RoomClient
import RoomCodecs
import RoomMedia

/// The options of a video track.
struct VideoOptions {
  var configuration: VideoConfiguration
  var tag: String
  var isMain: Bool

  init(_ pointer: UnsafePointer<rc_video_options>?) throws(Refusal) {
    guard let pointer else { throw .argument("options", "is NULL") }
    let options = try structure(pointer, rc_video_options(), "options")
    let codec: VideoCodec
    switch options.codec {
    case RC_VIDEO_H264: codec = .h264
    case RC_VIDEO_VP8: codec = .vp8
    case RC_VIDEO_VP9: codec = .vp9
    case RC_VIDEO_AV1: codec = .av1
    default: throw .argument("codec", "is \(options.codec.rawValue), not 0…3")
    }
    let (width, height) = (
      try integer(options.width, "width", in: 2...VideoFrame.maximumSide),
      try integer(options.height, "height", in: 2...VideoFrame.maximumSide)
    )
    let profile: H264Encoder.Profile
    switch options.profile {
    case RC_PROFILE_BASELINE: profile = .baseline
    case RC_PROFILE_MAIN: profile = .main
    case RC_PROFILE_HIGH: profile = .high
    default: throw .argument("profile", "is \(options.profile.rawValue), not 0 to 2")
    }
    let fps = try integer(options.fps, "fps", in: 1...120)
    let bitrate = try integer(options.bitrate, "bitrate", in: 0...100_000_000)
    configuration = VideoConfiguration(
      codec: codec, profile: profile,
      VideoEncoderSettings(
        width: width, height: height, fps: fps, bitrate: bitrate > 0 ? bitrate : max(100_000, width * height * fps / 10)))
    tag = try optionalText(options.tag, "tag") ?? "camera"
    isMain = !options.is_secondary
  }

  /// A track without an encoder.
  var encodedTrack: LocalVideoTrack {
    let settings = configuration.settings
    return LocalVideoTrack(
      codec: configuration.codec, tag: tag, isMain: isMain, width: settings.width, height: settings.height,
      fps: settings.fps, bitrate: settings.bitrate)
  }
}

/// The options of an audio track.
struct AudioOptions {
  var settings: OpusEncoderSettings
  var tag: String
  var isMain: Bool

  /// NULL is for the defaults.
  init(_ pointer: UnsafePointer<rc_audio_options>?) throws(Refusal) {
    settings = OpusEncoderSettings()
    (tag, isMain) = ("microphone", true)
    guard let pointer else { return }
    let options = try structure(pointer, rc_audio_options(), "options")
    settings.channels = try integer(options.channels, "channels", in: 1...2)
    let bitrate = try integer(options.bitrate, "bitrate", in: 0...510_000)
    if bitrate > 0 { settings.bitrate = bitrate }
    tag = try optionalText(options.tag, "tag") ?? tag
    isMain = !options.is_secondary
  }

  var encodedTrack: LocalAudioTrack { LocalAudioTrack(tag: tag, isMain: isMain, channels: settings.channels) }
}
