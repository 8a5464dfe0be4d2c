import RoomRTP

/// A codec in which a publisher sends a track too, if the room asks for it.
///
/// A value without I/O: takes who needs the codec, what the publisher sends, and the time. The room asks when a subscriber needs
/// the codec, and subscribers wait until the first packet or a deadline. The subscribers get a transcoded rendition afterwards,
/// until packets arrive. The room withdraws its request when nobody has needed the codec for a while.
struct TrackBackup: Sendable {
  /// The time that subscribers wait for packets, before the server transcodes. A publisher opens an m-line meanwhile.
  static let patience: Int64 = 3_000_000
  /// The time that the publisher sends on after the last subscriber, for those that reload a page.
  static let linger: Int64 = 10_000_000

  /// What follows from an input.
  enum Effect: Sendable {
    /// The publisher is to send the codec, or to stop.
    case ask
    /// Subscribers get another source.
    case renew
  }

  private enum Demand: Sendable {
    case none
    /// Subscribers wait until this time.
    case awaited(until: Instant)
    /// Subscribers get a rendition of the server meanwhile.
    case late
    case met
  }

  /// The media of its m-line, with its own id; nil while there is none.
  var media: PublishedTrack?
  /// The layers in use, as the media worker reported them last; nil for all.
  var wantedLayers: [String]?
  private var demand = Demand.none
  /// Whether packets have arrived on the m-line.
  private var hasArrived = false
  /// Since when nobody has needed it.
  private var unused: Instant?

  /// What subscribers receive; nil while the publisher sends nothing.
  var source: PublishedTrack? { if case .met = demand { media } else { nil } }
  var isAwaited: Bool { if case .awaited = demand { true } else { false } }
  /// Whether the publisher is asked to send it.
  var isAsked: Bool { if case .none = demand { false } else { true } }

  /// Notes that a subscriber needs it. A publisher that has sent it before is taken at its word.
  mutating func need(at now: Instant) -> Effect? {
    unused = nil
    guard !isAsked else { return nil }
    demand = media != nil && hasArrived ? .met : .awaited(until: now.advanced(microseconds: Self.patience))
    return .ask
  }

  /// Notes that the publisher has an m-line for it.
  mutating func begin(_ media: PublishedTrack) -> Effect? {
    (self.media, hasArrived, wantedLayers) = (media, false, nil)
    return isAsked ? nil : .ask
  }

  /// Notes the first packet on the m-line.
  mutating func arrived() -> Effect? {
    hasArrived = true
    guard isAsked else { return nil }
    demand = .met
    return .renew
  }

  /// Notes that the publisher no longer has the m-line. The publisher stays asked: another m-line may follow.
  mutating func end() -> Effect? {
    (media, hasArrived) = (nil, false)
    guard case .met = demand else { return nil }
    demand = .late
    return .renew
  }

  /// Notes the passage of time.
  /// - Parameter isUsed: whether anybody receives it, or a rendition of the server in its place.
  mutating func check(isUsed: Bool, at now: Instant) -> Effect? {
    switch demand {
    case .none: return nil
    case .awaited(let deadline):
      guard deadline <= now else { return nil }
      demand = .late
      return .renew
    case .late, .met:
      let since = unused ?? now
      unused = isUsed ? nil : since
      guard !isUsed, now - since >= Self.linger else { return nil }
      (demand, unused) = (.none, nil)
      return .ask
    }
  }
}
