/// The parameters of a merge job: the tracks to mix and the URL to send the mix to.
public struct MergeParams: Codable, Sendable, Hashable {
  /// The job's id, chosen by the caller: 1 to 64 bytes, unique among the room's running jobs.
  public var jobId: JobID
  /// The destination: `rtmp://` or `rtmps://` with application and stream, `srt://host:port` with SRT's options, or
  /// `file:NAME.mp4` or `file:NAME.flv` for a recording.
  ///
  /// `serialnum=N` in the query orders the jobs of one URL: the largest number takes over. Optional if ``publishAs`` is set.
  public var publishUrl: String?
  /// The participant under which the mix is also published in the room, 1 to 64 bytes; nil for none.
  public var publishAs: UserID?
  /// The canvas width in pixels: even, 16…1920. Without width and height the mix is audio only.
  public var width: Int?
  /// The canvas height in pixels: even, 16…1920.
  public var height: Int?
  /// Frames per second, 1…60; nil means 24.
  public var fps: Int?
  /// The video bitrate in kbit/s, 50…20000; nil derives it from the size.
  public var videoKbps: Int?
  /// The lowest video bitrate on a weak uplink in kbit/s, 10…20000, at most `videoKbps`; nil means a third of `videoKbps`.
  public var minKbps: Int?
  /// The maximum key frame interval in frames, 1…600; nil means 3 x fps.
  public var gop: Int?
  /// The x264 preset; nil means `superfast`.
  public var preset: EncoderPreset?
  /// The audio bitrate in kbit/s, 32…320; nil means the server's default.
  public var audioKbps: Int?
  /// The background behind all tracks; nil means black.
  public var background: MergeBackground?
  /// At most 8 images, the last one on top.
  public var watermarks: [Watermark]?
  /// At most 8 texts, drawn over the watermarks.
  public var texts: [MergeText]?
  /// The tracks of the mix and their frames, at most 32.
  public var layouts: [TrackLayout]
  /// A recording made in addition to the main output: `NAME.mp4` or `NAME.flv`; nil for none. A job that takes over continues
  /// the file.
  public var record: String?

  /// Creates the parameters. The parameters are not validated; see ``validationError``.
  public init(
    jobId: JobID, publishUrl: String? = nil, publishAs: UserID? = nil, width: Int? = nil, height: Int? = nil, fps: Int? = nil,
    videoKbps: Int? = nil, minKbps: Int? = nil, gop: Int? = nil, preset: EncoderPreset? = nil, audioKbps: Int? = nil,
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

/// The frame and the volume of one track or user in a mix.
public struct TrackLayout: Codable, Sendable, Hashable {
  /// A published track, including a later one of the same publisher and tag. Either this or ``userId`` is set.
  public var trackId: TrackID?
  /// A user whose main tracks are mixed whenever they are published. Either this or ``trackId`` is set.
  public var userId: UserID?
  /// The left edge in pixels of the canvas, −8192…8192. A frame may extend beyond the canvas.
  ///
  /// A frame has all four of `x`, `y`, `width` and `height`; without them only the audio is mixed.
  public var x: Int?
  /// The top edge in pixels of the canvas, −8192…8192.
  public var y: Int?
  /// The width in pixels, 1…8192.
  public var width: Int?
  /// The height in pixels.
  public var height: Int?
  /// The drawing order, −1000…1000, higher frames in front; nil means 0.
  public var zIndex: Int?
  /// How the picture fits its frame; nil means `fill`.
  public var fillMode: LayoutFillMode?
  /// The radius of the frame's rounded corners in pixels, 0…4096.
  public var cornerRadius: Int?
  /// The audio gain as a factor, 0…4; nil means 1.
  public var gain: Double?
  /// A name, at most 64 characters, shown in a disc while there is no picture; nil shows the background.
  public var placeholder: String?

  /// Creates a layout.
  public init(
    trackId: TrackID? = nil, userId: UserID? = nil, x: Int? = nil, y: Int? = nil, width: Int? = nil, height: Int? = nil,
    zIndex: Int? = nil, fillMode: LayoutFillMode? = nil, cornerRadius: Int? = nil, gain: Double? = nil,
    placeholder: String? = nil
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

/// The background of a mix: a colour or an image.
public struct MergeBackground: Codable, Sendable, Hashable {
  /// The colour as `#RRGGBB`.
  public var colour: String?
  /// The name of one of the room's images, which fills the canvas.
  public var image: String?

  /// Creates a background.
  public init(colour: String? = nil, image: String? = nil) {
    self.colour = colour
    self.image = image
  }
}

/// An image drawn over a mix.
public struct Watermark: Codable, Sendable, Hashable {
  /// The name of one of the room's images.
  public var image: String
  /// The left edge in pixels of the canvas, −8192…8192.
  public var x: Int
  /// The top edge in pixels of the canvas, −8192…8192.
  public var y: Int
  /// The width in pixels, 1…1920. Nil keeps the aspect ratio; if both are nil, the image has its own size.
  public var width: Int?
  /// The height in pixels.
  public var height: Int?
  /// The opacity, 0…1; nil means 1.
  public var opacity: Double?

  /// Creates a watermark.
  public init(image: String, x: Int, y: Int, width: Int? = nil, height: Int? = nil, opacity: Double? = nil) {
    self.image = image
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.opacity = opacity
  }
}

/// A text drawn over a mix.
public struct MergeText: Codable, Sendable, Hashable {
  /// The text, at most 64 characters. Either this or ``clock`` is set.
  public var text: String?
  /// Whether to show the time of day in UTC instead of a text.
  public var clock: Bool?
  /// With ``clock``: the time to which the clock counts down in minutes and seconds, in milliseconds since 1970; nil for the time of
  /// day.
  public var until: Int64?
  /// The left edge in pixels of the canvas, −8192…8192.
  public var x: Int
  /// The top edge in pixels of the canvas, −8192…8192.
  public var y: Int
  /// The font size in pixels, 8…200; nil means 32.
  public var size: Int?
  /// The colour as `#RRGGBB`; nil means white.
  public var colour: String?

  /// Creates a text.
  public init(
    text: String? = nil, clock: Bool? = nil, until: Int64? = nil, x: Int, y: Int, size: Int? = nil, colour: String? = nil
  ) {
    self.text = text
    self.clock = clock
    self.until = until
    self.x = x
    self.y = y
    self.size = size
    self.colour = colour
  }
}

/// The parameters that replace the layouts of a running merge job.
public struct LayoutsParams: Codable, Sendable, Hashable {
  /// The job's id.
  public var jobId: JobID
  /// The new layouts, at most 32. The layouts replace all previous ones from the next frame on.
  public var layouts: [TrackLayout]

  /// Creates the parameters.
  public init(jobId: JobID, layouts: [TrackLayout]) {
    self.jobId = jobId
    self.layouts = layouts
  }
}
