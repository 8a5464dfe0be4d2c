import RoomProtocol
import RoomSFU

// The layer of a simulcast that a WHEP viewer receives.

extension RoomCore {
  /// Stores the layers of a track that have arrived.
  mutating func setLayers(_ id: MediaTrackID, _ layers: [TrackLayer]) {
    if let key = backupKey(of: id) { backups[key]?.media?.layers = layers }
    guard let owner = roster.owner(of: id) else { return }
    _ = roster.change(owner.user) { participant in
      if let index = participant.tracks.firstIndex(where: { $0.id == id }) { participant.tracks[index].layers = layers }
    }
  }

  /// The layers of the picture that the stage shows, smallest first; empty if it has one size.
  package var stageLayers: [VideoLayer] {
    let users = [Self.stageUser, stage.user].compactMap { $0 }
    let track = users.lazy.flatMap { self.roster[$0]?.tracks ?? [] }.first { $0.info.kind == .video }
    return track.map(Self.layers) ?? []
  }

  /// Returns the layers of a viewer's picture, and the chosen one.
  func layers(of id: SessionResourceID, _ user: UserID) throws(SessionRefusal) -> ViewerLayers {
    _ = try session(id, of: user, .view)
    guard let viewer = viewers[id] else { throw .noSuchSession }
    return ViewerLayers(encodingId: viewer.layer?.encodingId, layers: layers(of: viewer))
  }

  /// Limits a viewer to a layer of its picture, also after its source changes to another track; nil for the best that the
  /// network carries.
  mutating func setLayer(_ encodingId: String?, of id: SessionResourceID, _ user: UserID) throws(SessionRefusal) {
    _ = try session(id, of: user, .view)
    guard let viewer = viewers[id] else { throw .noSuchSession }
    var layer: VideoLayer?
    if let encodingId {
      layer = layers(of: viewer).first { $0.encodingId == encodingId }
      guard layer != nil else { throw .badRequest("the picture has no layer \"\(encodingId.prefix(32))\"") }
    }
    viewers.setLayer(layer, of: id)
    for line in viewer.lines where line.parameters.kind == .video {
      if let playing = line.playing { order(.setReception(playing.subscription, layer?.reception ?? Reception())) }
    }
  }

  private func layers(of viewer: Viewer) -> [VideoLayer] {
    let playing = viewer.lines.first { $0.parameters.kind == .video }?.playing
    guard let playing else { return [] }
    if let backup = backupKey(of: playing.track).flatMap({ backups[$0]?.media }) { return Self.layers(of: backup) }
    guard let owner = roster.owner(of: playing.track) else { return [] }
    return owner.tracks.first { $0.id == playing.track }.map(Self.layers) ?? []
  }

  private static func layers(of track: PublishedTrack) -> [VideoLayer] {
    track.layers.count < 2 ? [] : track.layers.map { VideoLayer($0) }
  }
}
