/// The split screen that a broadcast shows during a PK: the room's own anchor and the other one side by side.
public struct PKPicture: Codable, Sendable, Hashable {
  /// The frame of an anchor, in pixels of the canvas.
  public struct Frame: Codable, Sendable, Hashable {
    /// The left edge in pixels, −8192…8192.
    public var x: Int
    /// The top edge in pixels, −8192…8192.
    public var y: Int
    /// The width in pixels, 1…8192.
    public var width: Int
    /// The height in pixels, 1…8192.
    public var height: Int

    /// Creates a frame. The frame is validated with the picture; see ``PKPicture/validationError``.
    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

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
  /// The frame of the room's own anchor.
  public var own: Frame
  /// The frame of the other anchor.
  public var peer: Frame
  /// The background behind both frames; nil means black.
  public var background: MergeBackground?

  /// Creates a split screen. The defaults are the two halves of a 720x1280 canvas. The values are not validated; see
  /// ``validationError``.
  public init(
    width: Int = 720, height: Int = 1280, fps: Int = 24, videoKbps: Int = 1500, preset: EncoderPreset = .superfast,
    own: Frame = Frame(x: 0, y: 320, width: 360, height: 640), peer: Frame = Frame(x: 360, y: 320, width: 360, height: 640),
    background: MergeBackground? = nil
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.videoKbps = videoKbps
    self.preset = preset
    self.own = own
    self.peer = peer
    self.background = background
  }

  /// Returns the merge job that shows this picture.
  /// - Parameters:
  ///   - jobId: the id of the merge job.
  ///   - user: the room's own anchor.
  ///   - other: the other anchor.
  ///   - includesPeerAudio: whether the other anchor's audio is mixed in.
  public func merge(_ jobId: JobID, own user: UserID, peer other: UserID, includesPeerAudio: Bool) -> MergeParams {
    MergeParams(
      jobId: jobId, width: width, height: height, fps: fps, videoKbps: videoKbps, preset: preset, background: background,
      layouts: [
        TrackLayout(userId: user, x: own.x, y: own.y, width: own.width, height: own.height),
        TrackLayout(
          userId: other, x: peer.x, y: peer.y, width: peer.width, height: peer.height, gain: includesPeerAudio ? nil : 0),
      ])
  }

  /// The first validation error, in a sentence that names the field; nil if the value is valid.
  public var validationError: String? {
    merge("pk", own: "own", peer: "peer", includesPeerAudio: true).validationError?
      .replacing("layouts[0]", with: "own").replacing("layouts[1]", with: "peer")
  }
}
