/// The video settings of the mix that a room's audience receives.
public struct StagePicture: Codable, Sendable, Hashable {
  /// The width in pixels: even, 16…1920.
  public var width: Int
  /// The height in pixels: even, 16…1920.
  public var height: Int
  /// Frames per second, 1…60.
  public var fps: Int
  /// The video bitrate in kbit/s, 50…20000.
  public var videoKbps: Int
  /// The x264 preset.
  public var preset: EncoderPreset

  /// Creates the settings. They are not validated; see ``validationError``.
  public init(
    width: Int = 720, height: Int = 1280, fps: Int = 24, videoKbps: Int = 1500, preset: EncoderPreset = .superfast
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.videoKbps = videoKbps
    self.preset = preset
  }

  /// The first validation error, in a sentence that names the field; nil if the value is valid.
  public var validationError: String? {
    MergeParams(
      jobId: "stage", width: width, height: height, fps: fps, videoKbps: videoKbps, preset: preset, layouts: []
    ).validationError
  }
}
