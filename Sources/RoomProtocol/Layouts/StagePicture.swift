/// The style of the picture that a room composes of the users on stage.
public struct StagePicture: Codable, Sendable, Hashable {
  /// The width in pixels: even, 16…1920. Nil, with ``height``: 1280x720 if the host's camera is landscape, otherwise 720x1280.
  public var width: Int?
  /// The height in pixels: even, 16…1920.
  public var height: Int?
  /// Frames per second, 1…60.
  public var fps: Int
  /// The video bitrate in kbit/s, 50…20000.
  public var videoKbps: Int
  /// The x264 preset.
  public var preset: EncoderPreset
  /// The background behind all frames; nil means black.
  public var background: MergeBackground?
  /// At most 8 images over the frames, the last one on top.
  public var watermarks: [Watermark]
  /// At most 8 texts over the watermarks.
  public var texts: [MergeText]
  /// The corner radius of frames without one of their own, as a fraction of the frame's shorter side, 0…0.5.
  public var cornerRadius: Double
  /// Whether each frame shows its user's id.
  public var names: Bool
  /// Whether the frames of a PK show the scores.
  public var scores: Bool

  /// Creates the style. The style is not validated; see ``validationError``.
  public init(
    width: Int? = nil, height: Int? = nil, fps: Int = 24, videoKbps: Int = 1500, preset: EncoderPreset = .superfast,
    background: MergeBackground? = nil, watermarks: [Watermark] = [], texts: [MergeText] = [], cornerRadius: Double = 0,
    names: Bool = false, scores: Bool = false
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.videoKbps = videoKbps
    self.preset = preset
    self.background = background
    self.watermarks = watermarks
    self.texts = texts
    self.cornerRadius = cornerRadius
    self.names = names
    self.scores = scores
  }

  private enum CodingKeys: String, CodingKey {
    case width, height, fps, videoKbps, preset, background, watermarks, texts, cornerRadius, names, scores
  }

  /// Decodes a style. Absent members have their defaults.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let standard = StagePicture()
    width = try values.decodeIfPresent(Int.self, forKey: .width)
    height = try values.decodeIfPresent(Int.self, forKey: .height)
    fps = try values.decodeIfPresent(Int.self, forKey: .fps) ?? standard.fps
    videoKbps = try values.decodeIfPresent(Int.self, forKey: .videoKbps) ?? standard.videoKbps
    preset = try values.decodeIfPresent(EncoderPreset.self, forKey: .preset) ?? standard.preset
    background = try values.decodeIfPresent(MergeBackground.self, forKey: .background)
    watermarks = try values.decodeIfPresent([Watermark].self, forKey: .watermarks) ?? []
    texts = try values.decodeIfPresent([MergeText].self, forKey: .texts) ?? []
    cornerRadius = try values.decodeIfPresent(Double.self, forKey: .cornerRadius) ?? 0
    names = try values.decodeIfPresent(Bool.self, forKey: .names) ?? false
    scores = try values.decodeIfPresent(Bool.self, forKey: .scores) ?? false
  }

  /// The canvas, if the style sets it.
  public var canvas: CanvasSize? {
    guard let width, let height else { return nil }
    return CanvasSize(width: width, height: height)
  }

  /// The first validation error, in a sentence that names the field; nil if the value is valid.
  public var validationError: String? {
    guard (width == nil) == (height == nil) else {
      return "\(width == nil ? "width" : "height"): a picture has both width and height"
    }
    guard (0...0.5).contains(cornerRadius) else { return "cornerRadius: 0 to 0.5, a fraction of the frame's shorter side" }
    return MergeParams(
      jobId: "stage", width: width ?? 720, height: height ?? 1280, fps: fps, videoKbps: videoKbps, preset: preset,
      background: background, watermarks: watermarks, texts: texts, layouts: []
    ).validationError
  }
}
