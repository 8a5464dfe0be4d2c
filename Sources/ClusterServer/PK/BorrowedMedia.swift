import RoomEngine
import RoomNodeLink
import RoomProtocol
import RoomRelay
import RoomSFU

/// The media of a track that another node lends: the layers are streams of the link between both nodes.
final class BorrowedMedia: LentHandle {
  private let link: OpenLink
  private let stream: UInt32
  let layers: Int

  /// - Parameter stream: that of the first layer.
  init(_ link: OpenLink, stream: UInt32, layers: Int) {
    self.link = link
    self.stream = stream
    self.layers = layers
  }

  var decoded: DecodedTrack? { nil }

  func copy(to injection: TrackInjection) -> @Sendable () -> Void {
    let streams = TrackStreams(receiving: injection, at: stream, of: link)
    return { streams.end() }
  }

  /// The link carries the layers that the borrowing room uses of its copy.
  func show(_ size: PictureSize?, by room: ObjectIdentifier) {}
}
