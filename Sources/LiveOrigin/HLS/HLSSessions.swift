import RTP

/// Players that have shown a good signature, each by the words it showed.
///
/// A player asks for a playlist and for segments again and again, with the address that it began with: as long as it does, it is
/// let on, though the signature may have expired meanwhile. Bounded; those that have no place are checked anew each time.
public struct HLSSessions: Sendable {
  private let patience: Int64
  private let capacity: Int
  private var seen: [String: Instant] = [:]

  /// - Parameters:
  ///   - patience: microseconds for which a player may ask nothing.
  ///   - capacity: players at a time.
  public init(patience: Int64 = 60_000_000, capacity: Int = 20_000) {
    self.patience = patience
    self.capacity = capacity
  }

  /// Whether the player is known and was here lately; it was here now then.
  public mutating func renew(_ words: String, now: Instant) -> Bool {
    guard let last = seen[words] else { return false }
    guard now - last <= patience else {
      seen[words] = nil
      return false
    }
    seen[words] = now
    return true
  }

  /// A player's signature was found good.
  public mutating func begin(_ words: String, now: Instant) {
    if seen.count >= capacity { seen = seen.filter { now - $0.value <= patience } }
    if seen.count < capacity, words.utf8.count <= 512 { seen[words] = now }
  }
}
