import RoomRTP

/// Players that have presented a valid signature, each identified by its query.
///
/// A player keeps requesting the playlist and segments with its initial URL. The player is admitted as long as it does so, even
/// if the signature has expired. The number of players is bounded; those that do not fit are validated on each request.
public struct HLSSessions: Sendable {
  private let patience: Int64
  private let capacity: Int
  private var seen: [String: Instant] = [:]

  /// - Parameters:
  ///   - patience: The time after which an idle player is removed, in µs.
  ///   - capacity: The maximum number of players.
  public init(patience: Int64 = 60_000_000, capacity: Int = 20_000) {
    self.patience = patience
    self.capacity = capacity
  }

  /// Returns whether the player is known and was active recently. If so, it records the activity.
  public mutating func renew(_ words: String, now: Instant) -> Bool {
    guard let last = seen[words] else { return false }
    guard now - last <= patience else {
      seen[words] = nil
      return false
    }
    seen[words] = now
    return true
  }

  /// Adds a player whose signature is valid.
  public mutating func begin(_ words: String, now: Instant) {
    if seen.count >= capacity { seen = seen.filter { now - $0.value <= patience } }
    if seen.count < capacity, words.utf8.count <= 512 { seen[words] = now }
  }
}
