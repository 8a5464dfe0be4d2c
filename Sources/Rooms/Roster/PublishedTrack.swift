import RoomProtocol
import RoomSFU
import RoomWebRTC

/// The transport on which a participant sends, with its tracks.
struct PublishTransport: Sendable {
  var id: TransportID
  let local: TransportParameters
  var negotiation: PublishNegotiation
  /// The most m-lines of an offer: of a client that publishes, and of one that also receives.
  private static let (mostLines, mostLinesOfBoth) = (64, 96)

  /// - Parameters:
  ///   - data: what this side says of data channels; nil to reject them.
  ///   - sends: whether the client also receives on it.
  init(id: TransportID, local: TransportParameters, data: DataParameters? = nil, sends: Bool = false) {
    self.id = id
    self.local = local
    negotiation = PublishNegotiation(
      local: local, maximumMedia: sends ? Self.mostLinesOfBoth : Self.mostLines, simulcast: true, data: data, sends: sends)
  }
}

/// A track that a participant publishes.
struct PublishedTrack: Sendable {
  var id: MediaTrackID
  var info: TrackInfo
  /// What the publisher sends: payload types, SSRCs and extension ids are those of its offer.
  var parameters: RTPParameters
  /// What the server transcodes the track from, such as HEVC; nil if it passes unchanged.
  var transcodedFrom: String?
  /// Whether its pictures are landscape, as seen by the media worker.
  var seenLandscape: Bool?
  /// The layers of a simulcast that have arrived, smallest first.
  var layers: [TrackLayer] = []
  /// The layers of a simulcast that are in use, as its publisher was informed; nil for all.
  var wanted: [String]?
  /// Whether it has had a subscriber.
  var wasSubscribed = false
  /// Whether its publisher was informed of that.
  var hasReportedSubscriber = false

  /// Whether its pictures are landscape: as seen, else as announced; nil if unknown.
  var isLandscape: Bool? {
    if let seenLandscape { return seenLandscape }
    guard let width = info.width, let height = info.height else { return nil }
    return width > height
  }
}

extension NewTrack {
  /// The validation error message; nil if it is valid.
  var validationError: String? {
    if (tag?.utf8.count ?? 0) > 64 { return "a tag is at most 64 bytes" }
    if (name?.utf8.count ?? 0) > 256 { return "a name is at most 256 bytes" }
    for (name, value, range) in [
      ("width", width, 1...16384), ("height", height, 1...16384), ("fps", fps, 1...1000),
      ("bitrate", bitrate, 1...1_000_000_000),
    ] {
      if let value, !range.contains(value) { return "\(name) is \(range.lowerBound) to \(range.upperBound)" }
    }
    return nil
  }
}
