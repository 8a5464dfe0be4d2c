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

/// A video track. The app sends encoded frames: H.264 access units in Annex B form, VP8 frames, VP9 frames of one layer, or AV1
/// temporal units in low-overhead OBU format.
public final class LocalVideoTrack: FedTrack {
  /// The codec.
  public let codec: VideoCodec
  /// The H.264 profile of the stream, by which receivers choose a decoder. Ignored for other codecs.
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
  /// The layers of a simulcast, the smallest first; empty for a track without layers.
  public let layers: [VideoLayer]
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
    layers = []
    feed = TrackFeed(kind: .video)
  }

  /// Creates a video track of several layers: the same picture in several sizes, of which each receiver gets one (simulcast).
  ///
  /// Send each picture once per layer with ``send(_:layer:)``. A server that knows no layers gets the largest alone.
  /// - Parameters:
  ///   - codec: the codec of all layers.
  ///   - layers: two or three layers, the smallest first.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main video track.
  ///   - profile: the H.264 profile; ignored for other codecs.
  /// - Throws: ``RoomClientError/negotiationFailed(_:)`` for another number of layers, or for rids that are equal, or not 1 to
  ///   16 letters and digits.
  public init(
    codec: VideoCodec, tag: String = "camera", isMain: Bool = true, layers: [VideoLayer],
    profile: H264Profile = .constrainedBaseline
  ) throws(RoomClientError) {
    let rids = layers.map { Rid($0.rid) }
    guard let largest = layers.last, (2...3).contains(layers.count), Set(rids).count == rids.count,
      rids.allSatisfy(\.isValid)
    else {
      throw .negotiationFailed("a simulcast has two or three layers with different names of 1 to 16 letters and digits")
    }
    self.codec = codec
    self.profile = profile
    self.tag = tag
    self.isMain = isMain
    (width, height, fps) = (largest.width, largest.height, largest.fps)
    bitrate = layers.reduce(0) { $0 &+ $1.bitrate }
    self.layers = layers
    feed = TrackFeed(kind: .video, layers: rids)
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

  /// Sends the next frame of a layer. Frames of one picture have the same timestamp in all layers.
  /// - Parameters:
  ///   - frame: the encoded picture.
  ///   - rid: the layer's ``VideoLayer/rid``.
  /// - Returns: as ``send(_:)``; also false for a layer that no one receives.
  @discardableResult public func send(_ frame: EncodedFrame, layer rid: String) -> Bool {
    feed.send(frame, rid: Rid(rid), level: nil)
  }

  /// Yields the rid of a layer that needs a key frame. Each access returns a new stream.
  public var layerKeyFrameRequests: AsyncStream<String> { AsyncStream(mapping: feed.layerKeyFrameRequests) { $0.rawValue } }

  /// The rids of the layers that are in use; the others need not be encoded. A layer that returns needs a key frame, which is
  /// requested.
  ///
  /// Each access returns a new stream, which starts with the current ones.
  public var wantedLayers: AsyncStream<Set<String>> {
    AsyncStream(mapping: feed.wantedLayers) { Set($0.map(\.rawValue)) }
  }

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
  ///   - frame: the packet. The packet's timestamp is in units of 1/48000 s and starts anywhere; `EncodedFrame(opus:at:)`
  ///     converts a time.
  ///   - level: the loudness in dBov, −127 (silence)…0 (loudest), for `audioLevels` and `activeSpeakers`; nil counts as
  ///     silence.
  /// - Returns: false if the packet was dropped: not connected, muted, or a full queue.
  @discardableResult public func send(_ frame: EncodedFrame, level: Int? = nil) -> Bool { feed.send(frame, level: level) }
}
