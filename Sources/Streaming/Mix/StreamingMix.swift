public import RoomClient
public import RoomCodecs
import RoomMixing
import RoomProtocol

/// What a session pushes in place of the camera alone: the camera and remote tracks of a room on one canvas, mixed here.
public struct StreamingMix: Sendable {
  /// A rectangle on the canvas in pixels, from the top left.
  public typealias Rectangle = PixelFrame

  /// A remote picture and its place. A picture with another aspect ratio is cropped.
  public struct Picture: Sendable {
    /// The video track.
    public var track: RemoteTrack
    /// The place on the canvas.
    public var frame: Rectangle
    /// Higher values cover lower ones. The camera has 0.
    public var zIndex: Int

    /// Creates the placement of a picture.
    public init(_ track: RemoteTrack, in frame: Rectangle, zIndex: Int = 1) {
      self.track = track
      self.frame = frame
      self.zIndex = zIndex
    }
  }

  /// The most remote tracks of each kind. Others are ignored.
  public static let limit = 16

  /// The width of the canvas in pixels, even. The canvas is scaled to the configured size for the push.
  public var width: Int
  /// The height of the canvas in pixels, even.
  public var height: Int
  /// The place of the pushed pictures; nil for the whole canvas.
  public var camera: Rectangle?
  /// The remote pictures.
  public var pictures: [Picture]
  /// The remote audio tracks, which are added to the pushed sound, and ignored without it.
  public var sounds: [RemoteTrack]

  /// Creates a mix. See the properties for units and ranges.
  public init(
    width: Int, height: Int, camera: Rectangle? = nil, pictures: [Picture] = [],
    sounds: [RemoteTrack] = []
  ) {
    self.width = width
    self.height = height
    self.camera = camera
    self.pictures = pictures
    self.sounds = sounds
  }

  /// The camera and the remote pictures on the canvas.
  func composition() throws(CodecError) -> Composition<MixSource> {
    let whole = Rectangle(x: 0, y: 0, width: width, height: height)
    return try Composition(
      width: width, height: height,
      placements: [Placement(source: .camera, frame: camera ?? whole)]
        + pictures.prefix(Self.limit).map {
          Placement(
            source: .track($0.track.trackId), frame: $0.frame, zIndex: $0.zIndex)
        })
  }
}

/// A source of a mix.
enum MixSource: Sendable, Hashable {
  /// What the app pushes.
  case camera
  case track(TrackID)
}
