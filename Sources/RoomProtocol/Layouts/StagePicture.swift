/// What a room's own mix looks like, which its audience gets.
public struct StagePicture: Codable, Sendable, Hashable {
  /// Pixels, even, 16…1920.
  public var width: Int
  /// Pixels, even, 16…1920.
  public var height: Int
  /// 1…60.
  public var fps: Int
  /// kbit/s, 50…20000.
  public var videoKbps: Int
  /// The x264 preset.
  public var preset: String

  public init(
    width: Int = 720, height: Int = 1280, fps: Int = 24, videoKbps: Int = 1500, preset: String = "superfast"
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.videoKbps = videoKbps
    self.preset = preset
  }

  /// What is wrong with it, in a sentence that names the field; nil where nothing is.
  public var complaint: String? {
    MergeParams(
      jobId: "stage", width: width, height: height, fps: fps, videoKbps: videoKbps, preset: preset, layouts: []
    ).complaint
  }
}
