/// The gifts that a PK's score contains, so that a repeated call counts once.
///
/// The ledger is stored with the score: a room that restarts or moves to another node has both, or neither.
struct GiftLedger: Codable, Hashable, Sendable {
  /// Gifts that are remembered. An older gift would count again.
  static let limit = 1024
  /// Hashes of the ids, the newest last. Two of 1024 ids share a hash once in 10^13 times.
  private var hashes: [UInt64] = []

  /// Enters a gift.
  /// - Returns: false if the gift is entered.
  mutating func enter(_ id: String) -> Bool {
    // FNV-1a: the same in each process, unlike `Hasher`.
    let hash = id.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    guard !hashes.contains(hash) else { return false }
    if hashes.count >= Self.limit { hashes.removeFirst() }
    hashes.append(hash)
    return true
  }
}
