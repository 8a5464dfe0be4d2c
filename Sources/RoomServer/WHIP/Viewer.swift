import RoomProtocol
import RoomToken
import SFU
import WebRTC

/// A WHEP session: receives one audio and one video stream, and is no participant. Belongs to its `Room`, which alone touches it.
final class Viewer {
  /// Whom a viewer watches.
  enum Source: Sendable, Hashable {
    /// Whether or not the user is there yet.
    case user(UserID)
    /// Who speaks (`SpeakerStage`).
    case stage
  }

  /// An m-line, and what is sent on it now.
  struct Line: Sendable {
    let parameters: RTPParameters
    var playing: (track: MediaTrackID, subscription: SubscriptionID)?
  }

  let token: RoomToken
  let source: Source
  var resource: SessionResource
  var lines: [Line]
  /// Set when its media connects for the first time.
  var takesPlace = false
  /// Ends the session when the client does not connect, or come back, in time.
  var waiting: Task<Void, Never>?

  init(token: RoomToken, source: Source, resource: SessionResource, media: [RTPParameters]) {
    self.token = token
    self.source = source
    self.resource = resource
    lines = media.map { Line(parameters: $0) }
  }
}

extension Viewer.Line {
  /// The track to send of these, which one user publishes: of the kind, in a codec that the viewer takes, the main one first.
  func choice(of tracks: [PublishedTrack]) -> PublishedTrack? {
    let fitting = tracks.filter { track in
      guard track.parameters.kind == parameters.kind, let codec = track.parameters.codecs.first else { return false }
      return parameters.codecs.contains { $0.suitability(for: codec) != nil }
    }
    return fitting.first { $0.info.master } ?? fitting.first
  }
}
