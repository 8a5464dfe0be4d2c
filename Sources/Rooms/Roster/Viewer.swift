import RoomProtocol
import RoomToken
import RoomSFU
import RoomWebRTC

/// A WHEP session: it receives one audio and one video stream and is not a participant.
package struct Viewer: Sendable {
  /// What a viewer watches.
  package enum Source: Sendable, Hashable {
    /// A user, present or not.
    case user(UserID)
    /// The active speaker (`SpeakerStage`).
    case stage
  }

  /// An m-line, with the track sent on it now.
  struct Line: Sendable {
    let parameters: RTPParameters
    var playing: (track: MediaTrackID, subscription: SubscriptionID)?
  }

  let token: RoomToken
  let source: Source
  var resource: SessionResource
  var lines: [Line]
  /// Becomes true when its media connects for the first time.
  var countsAsPresent = false

  init(token: RoomToken, source: Source, resource: SessionResource, media: [RTPParameters]) {
    self.token = token
    self.source = source
    self.resource = resource
    lines = media.map { Line(parameters: $0) }
  }
}

extension Viewer.Line {
  /// Returns which of a user's tracks to send: one of the line's kind, in a codec that the viewer accepts, the main one first.
  func choice(of tracks: [PublishedTrack]) -> PublishedTrack? {
    let fitting = tracks.filter { track in
      guard track.parameters.kind == parameters.kind, let codec = track.parameters.codecs.first else { return false }
      return parameters.codecs.contains { $0.suitability(for: codec) != nil }
    }
    return fitting.first { $0.info.master } ?? fitting.first
  }
}

/// The viewers of a room, by the last segment of their URL and by transport.
struct Viewers: Sendable {
  private(set) var byID: [SessionResourceID: Viewer] = [:]
  private var transports: [TransportID: SessionResourceID] = [:]
  private(set) var present = 0

  var count: Int { byID.count }
  var waiting: Int { byID.count - present }
  var ids: [SessionResourceID] { Array(byID.keys) }

  subscript(id: SessionResourceID) -> Viewer? { byID[id] }

  func viewer(on transport: TransportID) -> Viewer? { transports[transport].flatMap { byID[$0] } }

  mutating func add(_ viewer: Viewer) {
    byID[viewer.resource.id] = viewer
    transports[viewer.resource.transport] = viewer.resource.id
  }

  mutating func remove(_ id: SessionResourceID) -> Viewer? {
    guard let viewer = byID.removeValue(forKey: id) else { return nil }
    transports[viewer.resource.transport] = nil
    if viewer.countsAsPresent { present -= 1 }
    return viewer
  }

  mutating func setPresent(_ id: SessionResourceID) {
    guard byID[id]?.countsAsPresent == false else { return }
    byID[id]?.countsAsPresent = true
    present += 1
  }

  mutating func setResource(_ resource: SessionResource) { byID[resource.id]?.resource = resource }
  mutating func setLines(_ lines: [Viewer.Line], of id: SessionResourceID) { byID[id]?.lines = lines }
}
