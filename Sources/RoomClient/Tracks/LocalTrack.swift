import RoomRTP
import RoomProtocol

/// An audio or video stream that this client publishes. The app sends encoded frames.
///
/// A track can be created and fed before it is published. Frames are dropped until its transport is connected. Only
/// ``LocalVideoTrack`` and ``LocalAudioTrack`` conform to this protocol.
public protocol LocalTrack: AnyObject, Sendable {
  /// Whether the track is audio or video.
  var kind: TrackKind { get }
  /// Free text for the other participants, at most 64 bytes: "camera", "screen".
  var tag: String { get }
  /// Whether this is the main track of its kind, which relay jobs and mixes take if they name none.
  var isMain: Bool { get }
  /// The id that the server chose; nil while the track is not published.
  var trackId: TrackID? { get }
  /// Whether the track is muted, by this client, its seat or an admin. Frames of a muted track are dropped.
  var isMuted: Bool { get }
}

/// The two types of this module: only they have a feed, so only they can be published.
package protocol FedTrack: LocalTrack {
  /// The connection between the track and its rooms.
  var feed: TrackFeed { get }
}

extension LocalTrack {
  /// The track with its feed; nil for a type of another module.
  package var fed: (any FedTrack)? { self as? any FedTrack }
}

/// A video track. The app sends encoded frames: H.264 access units in Annex B form, or VP8 frames.
public final class LocalVideoTrack: FedTrack {
  /// The codec.
  public let codec: VideoCodec
  /// The H.264 profile of the stream, by which receivers choose a decoder. Ignored for VP8.
  public let profile: H264Profile
  /// Free text for the other participants, at most 64 bytes.
  public let tag: String
  /// Whether this is the main track of its kind, which relay jobs and mixes take if they name none.
  public let isMain: Bool
  /// The announced width in pixels.
  public let width: Int
  /// The announced height in pixels.
  public let height: Int
  /// The announced frames per second.
  public let fps: Int
  /// The announced bitrate in bits per second, and the ceiling of ``targetBitrate``; nil leaves the choice to congestion
  /// control.
  public let bitrate: Int?
  package let feed: TrackFeed

  /// Creates a video track. See the properties for units and ranges.
  public init(
    codec: VideoCodec, tag: String = "camera", isMain: Bool = true, width: Int, height: Int, fps: Int, bitrate: Int? = nil,
    profile: H264Profile = .constrainedBaseline
  ) {
    self.codec = codec
    self.profile = profile
    self.tag = tag
    self.isMain = isMain
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
    feed = TrackFeed(kind: .video)
  }

  /// Always `video`.
  public var kind: TrackKind { .video }
  /// The id that the server chose; nil while the track is not published.
  public var trackId: TrackID? { feed.trackId }
  /// Whether the track is muted. Frames of a muted track are dropped.
  public var isMuted: Bool { feed.isMuted }

  /// Sends the next frame.
  ///
  /// The frame's timestamp is in units of 1/90000 s and starts anywhere; `EncodedFrame(video:at:isKeyFrame:)` converts a time.
  /// - Returns: false if the frame was dropped: not connected, muted, waiting for a key frame, or a full queue. The track then
  ///   requests a key frame as soon as one can be sent.
  @discardableResult public func send(_ frame: EncodedFrame) -> Bool { feed.send(frame, level: nil) }

  /// Yields when a receiver needs a key frame, and when the track's transport has connected. Each access returns a new stream.
  public var keyFrameRequests: AsyncStream<Void> { feed.keyFrameRequests.stream(backlog: 1) }

  /// The bitrate in bits per second that the path to the server has for this track: audio has its share first, then each video
  /// its minimum, the smallest first, and the rest is divided evenly up to ``bitrate``. 0 means that the path has none left.
  ///
  /// Each access returns a new stream, which starts with the last known value.
  public var targetBitrate: AsyncStream<Int> { feed.targetBitrates }
}

/// An audio track. The app sends Opus packets.
public final class LocalAudioTrack: FedTrack {
  /// Free text for the other participants, at most 64 bytes.
  public let tag: String
  /// Whether this is the main track of its kind, which relay jobs and mixes take if they name none.
  public let isMain: Bool
  /// The number of channels of the encoded audio, 1 or 2.
  public let channels: Int
  package let feed: TrackFeed

  /// Creates an audio track.
  public init(tag: String = "microphone", isMain: Bool = true, channels: Int = 1) {
    self.tag = tag
    self.isMain = isMain
    self.channels = channels
    feed = TrackFeed(kind: .audio)
  }

  /// Always `audio`.
  public var kind: TrackKind { .audio }
  /// The id that the server chose; nil while the track is not published.
  public var trackId: TrackID? { feed.trackId }
  /// Whether the track is muted. Frames of a muted track are dropped.
  public var isMuted: Bool { feed.isMuted }

  /// Sends the next packet.
  /// - Parameters:
  ///   - frame: the packet. Its timestamp is in units of 1/48000 s and starts anywhere; `EncodedFrame(opus:at:)` converts a time.
  ///   - level: the loudness in dBov, −127 (silence)…0 (loudest), for `audioLevels` and `activeSpeakers`; nil counts as
  ///     silence.
  /// - Returns: false if the packet was dropped: not connected, muted, or a full queue.
  @discardableResult public func send(_ frame: EncodedFrame, level: Int? = nil) -> Bool { feed.send(frame, level: level) }
}
