/// What a merge job mixes and where it sends it.
public struct MergeParams: Codable, Sendable, Hashable {
  /// Chosen by the caller, 1 to 64 bytes, unique among the room's running jobs.
  public var jobId: JobID
  /// `rtmp://` or `rtmps://` with application and stream, or `file:NAME.mp4` or `file:NAME.flv` for a recording; `serialnum=N` in its
  /// query orders jobs on one URL. May be absent where `publishAs` is there.
  public var publishUrl: String?
  /// Publishes the mix into the room, as the tracks of a participant of this name, 1 to 64 bytes.
  public var publishAs: UserID?
  /// Pixels, even, 16…1920; width and height absent: sound alone.
  public var width: Int?
  /// Pixels, even, 16…1920.
  public var height: Int?
  /// Frames a second, 1…60; 24 if absent.
  public var fps: Int?
  /// kbit/s of pictures, 50…20000; if absent what suits the size.
  public var videoKbps: Int?
  /// kbit/s that a weak uplink may push pictures down to; a third of `videoKbps` if absent.
  public var minKbps: Int?
  /// Frames from one key frame to the next at most, 1…600; 3 x fps if absent.
  public var gop: Int?
  /// ultrafast, superfast, veryfast, faster, fast or medium; superfast if absent.
  public var preset: String?
  /// kbit/s of sound, 32…320; the server's own if absent.
  public var audioKbps: Int?
  /// Behind all tracks; black if absent.
  public var background: MergeBackground?
  /// At most 8, the last one on top.
  public var watermarks: [Watermark]?
  /// At most 8, over the watermarks.
  public var texts: [MergeText]?
  /// At most 32.
  public var layouts: [TrackLayout]
  /// A file that is recorded beside: `NAME.mp4` or `NAME.flv`. A job that takes over goes on in it.
  public var record: String?

  public init(
    jobId: JobID, publishUrl: String? = nil, publishAs: UserID? = nil, width: Int? = nil, height: Int? = nil, fps: Int? = nil,
    videoKbps: Int? = nil, minKbps: Int? = nil, gop: Int? = nil, preset: String? = nil, audioKbps: Int? = nil,
    background: MergeBackground? = nil, watermarks: [Watermark]? = nil, texts: [MergeText]? = nil, layouts: [TrackLayout],
    record: String? = nil
  ) {
    self.jobId = jobId
    self.publishUrl = publishUrl
    self.publishAs = publishAs
    self.width = width
    self.height = height
    self.fps = fps
    self.videoKbps = videoKbps
    self.minKbps = minKbps
    self.gop = gop
    self.preset = preset
    self.audioKbps = audioKbps
    self.background = background
    self.watermarks = watermarks
    self.texts = texts
    self.layouts = layouts
    self.record = record
  }
}

/// Where a track is shown in a mix, or how loud it is heard.
public struct TrackLayout: Codable, Sendable, Hashable {
  /// A published track; and what its publisher publishes later under the same tag in its stead.
  public var trackId: TrackID?
  /// Both main tracks of a user, whenever they are there; in place of `trackId`.
  public var userId: UserID?
  /// Pixels of the canvas, −8192…8192; a frame may stick out. All four are needed where pictures are shown.
  public var x: Int?
  public var y: Int?
  /// Pixels, 1…8192.
  public var width: Int?
  public var height: Int?
  /// −1000…1000, higher ones in front; 0 if absent.
  public var zIndex: Int?
  /// fill, fit or stretch; fill if absent.
  public var fillMode: String?
  /// Pixels, 0…4096; the frame's corners are cut round by it.
  public var cornerRadius: Int?
  /// How loud, 0…4; 1 if absent.
  public var gain: Double?
  /// While there is no picture: a disc with this name, at most 64 characters; the background if absent.
  public var placeholder: String?

  public init(
    trackId: TrackID? = nil, userId: UserID? = nil, x: Int? = nil, y: Int? = nil, width: Int? = nil, height: Int? = nil,
    zIndex: Int? = nil, fillMode: String? = nil, cornerRadius: Int? = nil, gain: Double? = nil, placeholder: String? = nil
  ) {
    self.placeholder = placeholder
    self.trackId = trackId
    self.userId = userId
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.zIndex = zIndex
    self.fillMode = fillMode
    self.cornerRadius = cornerRadius
    self.gain = gain
  }
}

/// What is behind the tracks of a mix.
public struct MergeBackground: Codable, Sendable, Hashable {
  /// `#RRGGBB`.
  public var colour: String?
  /// The name of one of the room's images; it fills the canvas.
  public var image: String?

  public init(colour: String? = nil, image: String? = nil) {
    self.colour = colour
    self.image = image
  }
}

/// An image over a mix.
public struct Watermark: Codable, Sendable, Hashable {
  /// The name of one of the room's images.
  public var image: String
  /// Pixels of the canvas, −8192…8192.
  public var x: Int
  public var y: Int
  /// Pixels, 1…1920; its own size if both are absent, in proportion if one is.
  public var width: Int?
  public var height: Int?
  /// 0…1; 1 if absent.
  public var opacity: Double?

  public init(image: String, x: Int, y: Int, width: Int? = nil, height: Int? = nil, opacity: Double? = nil) {
    self.image = image
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.opacity = opacity
  }
}

/// A text over a mix.
public struct MergeText: Codable, Sendable, Hashable {
  /// At most 64 characters; in place of `clock`.
  public var text: String?
  /// The time of day in UTC instead of a text.
  public var clock: Bool?
  /// Pixels of the canvas, −8192…8192, of its top left corner.
  public var x: Int
  public var y: Int
  /// Pixels, 8…200; 32 if absent.
  public var size: Int?
  /// `#RRGGBB`; white if absent.
  public var colour: String?

  public init(text: String? = nil, clock: Bool? = nil, x: Int, y: Int, size: Int? = nil, colour: String? = nil) {
    self.text = text
    self.clock = clock
    self.x = x
    self.y = y
    self.size = size
    self.colour = colour
  }
}

/// Another arrangement of a running merge job.
public struct LayoutsParams: Codable, Sendable, Hashable {
  public var jobId: JobID
  /// In place of all there were, from the next frame on.
  public var layouts: [TrackLayout]

  public init(jobId: JobID, layouts: [TrackLayout]) {
    self.jobId = jobId
    self.layouts = layouts
  }
}
