import RoomProtocol
import RoomRelay
import RoomSFU
import Synchronization

/// A track of a room of this server: decoded once for all rooms that show it, and linked to them.
package final class LentMedia: LentHandle {
  private let track: MediaTrackID
  private let media: MediaRoom
  /// The sizes in which rooms show the track.
  private let shown = Mutex<[ObjectIdentifier: PictureSize]>([:])
  package let decoded: DecodedTrack?
  package let layers: Int

  init(_ track: MediaTrackID, of media: MediaRoom, decoded: DecodedTrack) {
    self.track = track
    self.media = media
    self.decoded = decoded
    layers = media.layers(of: track)
  }

  package func show(_ size: PictureSize?, by room: ObjectIdentifier) {
    shown.withLock { shown in
      shown[room] = size
      media.setTapSize(shown.values.reduce(nil) { $1.union($0) }, of: track)
    }
  }

  package func copy(to injection: TrackInjection) -> @Sendable () -> Void {
    media.link(track, to: injection)
    return { [media, track] in media.unlink(track, from: injection) }
  }

  /// Copies the records for another server, as ``MediaRoom/link(_:waking:of:)`` does.
  package func copy(waking descriptor: Int32, of owner: any AnyObject & Sendable) -> TrackInjection? {
    media.link(track, waking: descriptor, of: owner)
  }

  package func end(_ injection: TrackInjection) { media.unlink(track, from: injection) }
}
