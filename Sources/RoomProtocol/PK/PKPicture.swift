/// What a broadcast shows during a PK: the room's own anchor and the other's, side by side.
public struct PKPicture: Codable, Sendable, Hashable {
  /// Where an anchor is shown, in pixels of the canvas.
  public struct Frame: Codable, Sendable, Hashable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

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
  /// The room's own anchor.
  public var own: Frame
  /// The other one.
  public var peer: Frame
  /// Behind both; black if absent.
  public var background: MergeBackground?

  /// The defaults are halves of an upright screen.
  public init(
    width: Int = 720, height: Int = 1280, fps: Int = 24, videoKbps: Int = 1500, preset: String = "superfast",
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

  /// The merge job that shows it.
  public func merge(_ jobId: JobID, own user: UserID, peer other: UserID, hearsPeer: Bool) -> MergeParams {
    MergeParams(
      jobId: jobId, width: width, height: height, fps: fps, videoKbps: videoKbps, preset: preset, background: background,
      layouts: [
        TrackLayout(userId: user, x: own.x, y: own.y, width: own.width, height: own.height),
        TrackLayout(
          userId: other, x: peer.x, y: peer.y, width: peer.width, height: peer.height, gain: hearsPeer ? nil : 0),
      ])
  }

  /// What is wrong with it, in a sentence that names the field; nil where nothing is.
  public var complaint: String? {
    merge("pk", own: "own", peer: "peer", hearsPeer: true).complaint?
      .replacing("layouts[0]", with: "own").replacing("layouts[1]", with: "peer")
  }
}
