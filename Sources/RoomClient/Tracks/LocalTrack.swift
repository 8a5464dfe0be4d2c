import RTP
import RoomProtocol

/// An audio or video stream that this client publishes: encoded frames go in.
///
/// A track can be made and fed before it is published; frames are dropped until its transport is connected.
public protocol LocalTrack: AnyObject, Sendable {
  var kind: TrackKind { get }
  /// Free text for the others: "camera", "screen".
  var tag: String { get }
  /// The main stream of its kind.
  var master: Bool { get }
  /// Chosen by the server; nil while not published.
  var trackId: TrackID? { get }
  /// Set by `Room.mute`, here or by an admin; frames of a muted track are dropped.
  var isMuted: Bool { get }
  /// The track's part in the machinery of the room.
  var feed: TrackFeed { get }
}

/// A video track fed with encoded frames: an H.264 access unit in Annex B form, or a VP8 frame.
public final class LocalVideoTrack: LocalTrack {
  public let codec: VideoCodec
  /// Of H.264; how the stream is encoded, for the receivers to choose a decoder by.
  public let profile: H264Profile
  public let tag: String
  public let master: Bool
  /// Pixels, as told to the others.
  public let width: Int
  public let height: Int
  /// Frames per second, as told to the others.
  public let fps: Int
  /// Bits per second, as told to the others, and the ceiling of `targetBitrate`; nil leaves the choice to congestion control.
  public let bitrate: Int?
  public let feed: TrackFeed

  public init(
    codec: VideoCodec, tag: String = "camera", master: Bool = true, width: Int, height: Int, fps: Int, bitrate: Int? = nil,
    profile: H264Profile = .constrainedBaseline
  ) {
    self.codec = codec
    self.profile = profile
    self.tag = tag
    self.master = master
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
    feed = TrackFeed(kind: .video)
  }

  public var kind: TrackKind { .video }
  public var trackId: TrackID? { feed.trackId }
  public var isMuted: Bool { feed.isMuted }

  /// Hands over the next frame. Its timestamp counts 1/90000 s and its start is arbitrary.
  ///
  /// False where the frame was dropped: not connected, muted, waiting for a key frame, or the queue is full; a key frame is
  /// then asked for as soon as one would get through.
  @discardableResult public func send(_ frame: EncodedFrame) -> Bool { feed.send(frame, level: nil) }

  /// Yields whenever a receiver needs a key frame, and when the track's transport has come up. Each caller has its own stream.
  public var keyFrameRequests: AsyncStream<Void> { feed.keyFrameRequests.stream(backlog: 1) }

  /// Bits per second that the way to the server takes at the moment, shared among the video tracks of this client; the last one
  /// known comes first. Each caller has its own stream.
  public var targetBitrate: AsyncStream<Int> { feed.targetBitrates }
}

/// An audio track fed with Opus packets.
public final class LocalAudioTrack: LocalTrack {
  public let tag: String
  public let master: Bool
  /// Of the encoded sound, 1 or 2.
  public let channels: Int
  public let feed: TrackFeed

  public init(tag: String = "microphone", master: Bool = true, channels: Int = 1) {
    self.tag = tag
    self.master = master
    self.channels = channels
    feed = TrackFeed(kind: .audio)
  }

  public var kind: TrackKind { .audio }
  public var trackId: TrackID? { feed.trackId }
  public var isMuted: Bool { feed.isMuted }

  /// Hands over the next packet. Its timestamp counts 1/48000 s and its start is arbitrary.
  ///
  /// `level` is its loudness in dBov, −127 (silence) … 0 (loudest), which makes `audioLevels` and `activeSpeakers` work; nil
  /// counts as silence. False where the packet was dropped: not connected, muted, or the queue is full.
  @discardableResult public func send(_ frame: EncodedFrame, level: Int? = nil) -> Bool { feed.send(frame, level: level) }
}
