import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

/// How an egress is encoded: H.264 and AAC.
struct EgressEncoding: Sendable, Hashable {
  var width = 1280
  var height = 720
  var fps = 30
  var videoKbps = 3000
  var audioKbps = 128
  /// Seconds between key frames.
  var keyFrameInterval = 4.0

  /// LiveKit's default: 720p at 30 pictures per second.
  static let standard = EgressEncoding()

  init() {}

  /// Returns nil if the tracks are sent as they are.
  init?(_ encoding: LiveKit.Encoding?) throws(TwirpError) {
    switch encoding {
    case nil: return nil
    case .preset(let preset)?:
      guard preset != .passthrough else { return nil }
      try self.init(preset)
    case .advanced(let options)?: try self.init(options)
    }
  }

  private init(_ preset: LiveKit.EncodingOptionsPreset) throws(TwirpError) {
    let isFull = [.h264_1080p30, .h264_1080p60, .portrait1080p30, .portrait1080p60].contains(preset)
    let isFast = [.h264_720p60, .h264_1080p60, .portrait720p60, .portrait1080p60].contains(preset)
    let isPortrait = [.portrait720p30, .portrait720p60, .portrait1080p30, .portrait1080p60].contains(preset)
    guard LiveKit.EncodingOptionsPreset.names[preset.rawValue] != nil else {
      throw TwirpError(.invalidArgument, "preset: \(preset.rawValue) is unknown")
    }
    let (long, short) = isFull ? (1920, 1080) : (1280, 720)
    (width, height) = isPortrait ? (short, long) : (long, short)
    fps = isFast ? 60 : 30
    videoKbps = isFull ? (isFast ? 6000 : 4500) : isFast ? 4500 : 3000
  }

  private init(_ options: LiveKit.EncodingOptions) throws(TwirpError) {
    guard [.standard, .aac].contains(options.audioCodec) else {
      throw TwirpError(.unimplemented, "audio_codec: this server encodes AAC")
    }
    guard [.standard, .h264Baseline, .h264Main, .h264High].contains(options.videoCodec) else {
      throw TwirpError(.unimplemented, "video_codec: this server encodes H.264")
    }
    // Zero is the default. The room checks the ranges.
    if options.width != 0 { width = Int(options.width) }
    if options.height != 0 { height = Int(options.height) }
    if options.framerate != 0 { fps = Int(options.framerate) }
    if options.videoBitrate != 0 { videoKbps = Int(options.videoBitrate) }
    if options.audioBitrate != 0 { audioKbps = Int(options.audioBitrate) }
    guard options.keyFrameInterval != 0 else { return }
    guard (0.1...60).contains(options.keyFrameInterval) else {
      throw TwirpError(.invalidArgument, "key_frame_interval: 0.1 to 60 seconds")
    }
    keyFrameInterval = options.keyFrameInterval
  }

  /// Returns a merge job with this picture and sound.
  /// - Parameter hasPicture: false for sound alone.
  func merge(_ id: JobID, to url: String, hasPicture: Bool, _ layouts: [TrackLayout] = []) -> MergeParams {
    var params = MergeParams(jobId: id, publishUrl: url, audioKbps: audioKbps, layouts: layouts)
    guard hasPicture else { return params }
    (params.width, params.height, params.fps, params.videoKbps) = (width, height, fps, videoKbps)
    params.gop = min(600, max(1, Int(keyFrameInterval * Double(min(max(fps, 1), 60)))))
    return params
  }

  /// A layout that shows one picture.
  var whole: TrackLayout { TrackLayout(x: 0, y: 0, width: width, height: height, fillMode: .fit) }
}
