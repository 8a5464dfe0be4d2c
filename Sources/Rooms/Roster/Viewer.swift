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
  /// The server that has its media; nil for this one.
  let annex: MediaAnnexID?
  var resource: SessionResource
  var lines: [Line]
  /// The layer that it chose; nil for the best that its network carries.
  var layer: VideoLayer?
  /// Becomes true when its media connects for the first time.
  var countsAsPresent = false

  init(
    token: RoomToken, source: Source, resource: SessionResource, media: [RTPParameters], annex: MediaAnnexID? = nil
  ) {
    self.token = token
    self.source = source
    self.annex = annex
    self.resource = resource
    lines = media.map { Line(parameters: $0) }
  }

  /// Whether it is an operator who looks at the room, and not an audience: its token is of a hidden host.
  var isOperator: Bool { token.grants.isSuperset(of: [.admin, .hidden]) }
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
  /// The number of viewers that are an audience, without operators.
  private(set) var audience = 0
  /// Those of them whose media another server has.
  private(set) var audienceElsewhere: [MediaAnnexID: Int] = [:]
  /// The number of viewers of the stage.
  private(set) var ofStage = 0

  var count: Int { byID.count }
  var waiting: Int { byID.count - present }
  var ids: [SessionResourceID] { Array(byID.keys) }

  subscript(id: SessionResourceID) -> Viewer? { byID[id] }

  func viewer(on transport: TransportID) -> Viewer? { transports[transport].flatMap { byID[$0] } }

  mutating func add(_ viewer: Viewer) {
    byID[viewer.resource.id] = viewer
    transports[viewer.resource.transport] = viewer.resource.id
    count(viewer, 1)
  }

  mutating func remove(_ id: SessionResourceID) -> Viewer? {
    guard let viewer = byID.removeValue(forKey: id) else { return nil }
    transports[viewer.resource.transport] = nil
    if viewer.countsAsPresent { present -= 1 }
    count(viewer, -1)
    return viewer
  }

  private mutating func count(_ viewer: Viewer, _ by: Int) {
    if !viewer.isOperator {
      audience += by
      if let annex = viewer.annex {
        let count = audienceElsewhere[annex, default: 0] + by
        audienceElsewhere[annex] = count == 0 ? nil : count
      }
    }
    if viewer.source == .stage { ofStage += by }
  }

  mutating func setPresent(_ id: SessionResourceID) {
    guard byID[id]?.countsAsPresent == false else { return }
    byID[id]?.countsAsPresent = true
    present += 1
  }

  mutating func setResource(_ resource: SessionResource) { byID[resource.id]?.resource = resource }
  mutating func setLayer(_ layer: VideoLayer?, of id: SessionResourceID) { byID[id]?.layer = layer }
  mutating func setLines(_ lines: [Viewer.Line], of id: SessionResourceID) { byID[id]?.lines = lines }
}
