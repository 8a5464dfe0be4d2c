import RoomProtocol
import RoomRelay
import RoomSFU
import RoomWebRTC

/// The tracks of one room as its programs use them: decoded, or as packets, with the clocks that keep a session's tracks in sync; and the
/// tracks whose packets this server produces.
final class RoomTracks {
  private let media: MediaRoom
  private let directory: MixDirectory
  /// Decoded tracks, shared by all jobs.
  private var decoded: [MediaTrackID: DecodedTrack] = [:]
  /// The clocks that synchronize the tracks of each session.
  private var clocks: [SessionID: SharedClock] = [:]
  /// The tracks of other rooms.
  private var links: [MediaTrackID: (lent: any LentHandle, end: @Sendable () -> Void)] = [:]
  /// The tracks that other rooms have.
  private var lent: [MediaTrackID: LentMedia] = [:]
  private var injections: [MediaTrackID: TrackInjection] = [:]

  init(of media: MediaRoom, _ directory: MixDirectory) {
    self.media = media
    self.directory = directory
  }

  func clock(of session: SessionID) -> SharedClock {
    if let known = clocks[session] { return known }
    let made = SharedClock()
    clocks[session] = made
    return made
  }

  func source(_ id: TrackSourceID) -> TrackSource {
    media.source(of: id.track, isVideo: id.isVideo, clock: clock(of: id.session))
  }

  /// Returns a decoded track, shared by all jobs.
  func decoded(_ id: TrackSourceID) -> DecodedTrack {
    if let shared = links[id.track]?.lent.decoded { return shared }
    if let known = decoded[id.track] { return known }
    let (track, isVideo, clock) = (id.track, id.isVideo, clock(of: id.session))
    let made = DecodedTrack(
      isVideo: isVideo, clock: clock, loop: directory.loop(), counters: directory.decoding
    ) { [media] in media.source(of: track, isVideo: isVideo, clock: clock, isScaled: true) }
    decoded[id.track] = made
    return made
  }

  /// Sets the size in which the room's mixes show a track, so that they decode no larger layer of a simulcast; nil if none shows it.
  func show(_ track: MediaTrackID, _ size: PictureSize?) {
    if let lent = links[track]?.lent ?? lent[track], lent.decoded != nil {
      lent.show(size, by: ObjectIdentifier(self))
    } else {
      media.setTapSize(size, of: track)
    }
  }

  // MARK: Other rooms

  /// Returns a track as other rooms get it.
  func lend(_ id: TrackSourceID) -> LentMedia {
    if let known = lent[id.track] { return known }
    let made = LentMedia(id.track, of: media, decoded: decoded(id))
    lent[id.track] = made
    return made
  }

  /// Forwards another room's track to a track of this room.
  func link(_ track: MediaTrackID, _ parameters: RTPParameters, _ lent: LentTrack) {
    let injection = media.receive(track, parameters: parameters, layers: lent.handle.layers, isReported: true)
    links[track] = (lent.handle, lent.handle.copy(to: injection))
  }

  func unlink(_ track: MediaTrackID) {
    guard let link = links.removeValue(forKey: track) else { return }
    link.end()
    link.lent.show(nil, by: ObjectIdentifier(self))
  }

  // MARK: Packets of this server

  /// Creates a track whose packets this server produces.
  func inject(_ track: MediaTrackID, _ parameters: RTPParameters, _ layers: Int) {
    injections[track] = media.inject(track, parameters: parameters, layers: layers)
  }

  /// Returns the sender of an injected track, once, to its owner.
  func takeInjection(_ track: MediaTrackID) -> TrackInjection? { injections.removeValue(forKey: track) }

  // MARK: Ends

  /// Removes the clock of a session that has ended.
  func forget(_ session: SessionID) { clocks[session] = nil }

  /// Removes a track that is no longer published.
  func forget(_ track: MediaTrackID) { (decoded[track], lent[track], injections[track]) = (nil, nil, nil) }
}

extension MediaRoom {
  /// Returns a new tap of a track.
  /// - Parameter isScaled: whether its pictures are scaled to the size of `setTapSize`.
  func source(of track: MediaTrackID, isVideo: Bool, clock: SharedClock, isScaled: Bool = false) -> TrackSource {
    let tap = TrackTap(capacity: isVideo ? TrackTap.videoBytes : TrackTap.audioBytes, isScaled: isScaled)
    self.tap(track, with: tap)
    return TrackSource(
      tap: tap, clock: clock, requestKeyFrame: { self.requestKeyFrame(track) }, release: { self.untap(track, tap) })
  }
}
