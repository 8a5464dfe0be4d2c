/// The parameters that select the quality of received tracks.
public struct ReceptionParams: Codable, Sendable, Hashable {
  /// The maximum number of tracks in one call.
  public static let maximumTracks = 256

  /// The tracks; the receptions of others do not change.
  public var tracks: [TrackReception]
  /// Creates the parameters.
  public init(tracks: [TrackReception]) { self.tracks = tracks }
}

/// How a client receives a track. The message replaces the track's previous reception; a missing field has its default.
public struct TrackReception: Codable, Sendable, Hashable {
  /// The track.
  public var trackId: TrackID
  /// The largest layer of a simulcast within the limits is sent, or the smallest if none is. In pixels; nil for no limit.
  public var maxWidth: Int?
  /// See ``maxWidth``.
  public var maxHeight: Int?
  /// See ``maxWidth``. In frames per second. Of VP8 with temporal layers, frames are left out.
  public var maxFps: Int?
  /// 0…255; nil means 0, or 96 for a shared screen. On a connection that does not carry everything, tracks of a higher priority
  /// get their pictures first. From 128 on a track is pinned: it gets its best picture before others get more than their
  /// smallest. Speakers have 64 more, up to 127.
  public var priority: Int?
  /// Whether the server sends nothing of the track; nil means false.
  public var paused: Bool?

  /// Creates a reception.
  public init(
    trackId: TrackID, maxWidth: Int? = nil, maxHeight: Int? = nil, maxFps: Int? = nil, priority: Int? = nil,
    paused: Bool? = nil
  ) {
    self.trackId = trackId
    self.maxWidth = maxWidth
    self.maxHeight = maxHeight
    self.maxFps = maxFps
    self.priority = priority
    self.paused = paused
  }

  /// The message of the first value outside its range; nil if all are valid.
  public var validationError: String? {
    for (name, value, range) in [
      ("maxWidth", maxWidth, 1...16384), ("maxHeight", maxHeight, 1...16384), ("maxFps", maxFps, 1...1000),
      ("priority", priority, 0...255),
    ] {
      if let value, !range.contains(value) { return "\(name) is \(range.lowerBound) to \(range.upperBound)" }
    }
    return nil
  }
}

/// The data of a `layers` event, sent to the publisher of simulcasts.
public struct LayersData: Codable, Sendable, Hashable {
  /// The tracks whose wanted layers changed.
  public var layers: [WantedLayers]
  /// Creates the data of the event.
  public init(layers: [WantedLayers]) { self.layers = layers }
}

/// The layers of a simulcast that are in use.
public struct WantedLayers: Codable, Sendable, Hashable {
  /// The track.
  public var trackId: TrackID
  /// The rids to send, in the order of the offer. The publisher can stop sending the others.
  public var wanted: [String]

  /// Creates the description of a track's wanted layers.
  public init(trackId: TrackID, wanted: [String]) {
    self.trackId = trackId
    self.wanted = wanted
  }
}

/// The data of a `streams` event: what the client is sent of tracks that it receives.
public struct StreamsData: Codable, Sendable, Hashable {
  /// The tracks whose state changed.
  public var streams: [StreamInfo]
  /// Creates the data of the event.
  public init(streams: [StreamInfo]) { self.streams = streams }
}

/// What a client is sent of one track.
public struct StreamInfo: Codable, Sendable, Hashable {
  /// Whether a track is sent.
  public enum State: String, Codable, Sendable, Hashable, CaseIterable {
    /// The track is sent.
    case active
    /// Nothing is sent, for the ``StreamInfo/reason``.
    case paused
  }

  /// Why nothing is sent.
  public enum Reason: String, Codable, Sendable, Hashable, CaseIterable {
    /// The client's connection does not carry the track. The track resumes on its own.
    case bandwidth
  }

  /// The track.
  public var trackId: TrackID
  /// Whether it is sent.
  public var state: State
  /// Why it is paused; nil if it is active.
  public var reason: Reason?
  /// The size of the picture that is sent, in pixels; nil while it is unknown. Only for tracks with several layers.
  public var width: Int?
  /// See ``width``.
  public var height: Int?

  /// Creates the description of a stream.
  public init(trackId: TrackID, state: State, reason: Reason? = nil, width: Int? = nil, height: Int? = nil) {
    self.trackId = trackId
    self.state = state
    self.reason = reason
    self.width = width
    self.height = height
  }
}
