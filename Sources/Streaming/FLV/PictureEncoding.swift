import RoomCodecs
import RoomMedia
import RoomRTP
import Synchronization

/// What a push by RTMP or SRT passes to the encoder of its pictures.
final class PictureControl: Sendable {
  struct State: Sendable {
    var configuration: VideoConfiguration
    var rate: EncodingRate
    /// The requests for a key frame, and those that are satisfied.
    var keyFramesWanted = 1
    var keyFramesMade = 0
    /// Pictures that cannot be sent are not encoded.
    var isConnected = false
  }

  let state: Mutex<State>

  init(_ configuration: VideoConfiguration, _ rate: EncodingRate) {
    state = Mutex(State(configuration: configuration, rate: rate))
  }

  func requestKeyFrame() { state.withLock { $0.keyFramesWanted += 1 } }
}

/// The encoder of the pictures of a push by RTMP or SRT.
actor PictureEncoding {
  private var encoder: any VideoEncoder
  private var configuration: VideoConfiguration
  private var clock = SourceClock()
  private var thinning = FrameThinning()

  init(_ configuration: VideoConfiguration) throws(CodecError) {
    self.configuration = configuration
    encoder = try configuration.makeEncoder()
  }

  /// Encodes until the end of the frames. Pictures that cannot be encoded are skipped.
  func run(
    _ frames: AsyncStream<Arrived<VideoFrame>>, _ control: PictureControl, _ take: @Sendable (EncodedPicture) -> Void
  ) async {
    for await arrived in frames {
      if let picture = try? encode(arrived, control) { take(picture) }
    }
  }

  private func encode(_ arrived: Arrived<VideoFrame>, _ control: PictureControl) throws(CodecError) -> EncodedPicture? {
    var frame = arrived.frame
    frame.timestamp = clock.time(of: frame.timestamp, arrival: arrived.time)
    let state = control.state.withLock { $0 }
    guard state.isConnected else { return nil }
    try follow(state)
    if encoder.settings.fps < configuration.settings.fps, !thinning.takes(frame.timestamp, fps: encoder.settings.fps) {
      return nil
    }
    let picture = try encoder.encode(frame, forceKeyFrame: state.keyFramesWanted > state.keyFramesMade)
    // A request since then is for another key frame.
    if picture?.isKeyFrame == true { control.state.withLock { $0.keyFramesMade = state.keyFramesWanted } }
    return picture
  }

  private func follow(_ state: PictureControl.State) throws(CodecError) {
    let wanted = state.configuration
    if wanted.profile != configuration.profile || wanted.speed != configuration.speed
      || wanted.hardware != configuration.hardware
    {
      encoder = try wanted.makeEncoder()
    }
    configuration = wanted
    let settings = state.rate.applied(to: wanted.settings)
    if settings != encoder.settings { try encoder.reconfigure(settings) }
  }
}

/// A frame, and when the app pushed it.
struct Arrived<Frame: Sendable>: Sendable {
  var frame: Frame
  var time: Instant
}
