import RoomProtocol

/// A media transport that a newer one replaces, and which still delivers what it receives.
struct LeavingTransport {
  /// Maximum time until the newer one carries the tracks.
  static let patience = Duration.seconds(8)

  let transport: MediaTransport
  private let since: ContinuousClock.Instant
  /// The tracks of which the newer transport has no frame yet.
  var awaited: Set<TrackID> = []

  init(_ transport: MediaTransport, since: ContinuousClock.Instant) {
    self.transport = transport
    self.since = since
  }

  /// Whether to close the transport.
  /// - Parameter isReplaced: whether the newer one is connected.
  func isOver(now: ContinuousClock.Instant, isReplaced: Bool) -> Bool {
    now - since >= Self.patience || isReplaced && awaited.isEmpty
  }
}
