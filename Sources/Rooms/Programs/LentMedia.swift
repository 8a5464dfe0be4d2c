import RoomRelay
import RoomSFU

/// A track of a room of this server: decoded once for both rooms, and linked to the other.
package final class LentMedia: LentHandle {
  private let track: MediaTrackID
  private let media: MediaRoom
  package let decoded: DecodedTrack?
  package let layers: Int

  init(_ track: MediaTrackID, of media: MediaRoom, decoded: DecodedTrack) {
    self.track = track
    self.media = media
    self.decoded = decoded
    layers = media.layers(of: track)
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
