import Foundation

/// Weighted rendezvous hashing: each pair of a room and a node has a score, and a room belongs to the node with the highest one.
///
/// All nodes compute the same scores. A change of one node's weight moves rooms to or from this node only.
enum Rendezvous {
  /// Returns a hash of a text that is the same in each process, unlike that of `Hasher`: FNV-1a, then ``mixed(_:)``.
  static func hash(_ text: String) -> UInt64 {
    mixed(text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  }

  /// Returns the score of a pair of hashes. Among nodes, the share of rooms for which a node has the highest score is its
  /// weight's share of the sum of weights.
  /// - Returns: nil if the score is not higher than `least`.
  static func score(_ room: UInt64, _ node: UInt64, weight: Double, above least: Double = 0) -> Double? {
    // Uniform in 0..<1, never 0.
    let uniform = (Double(mixed(room ^ (node &* 0x9E37_79B9_7F4A_7C15)) >> 12) + 0.5) * 0x1p-52
    // -log(x) is at least 1 - x, which spares most logarithms.
    guard weight > least * (1 - uniform) else { return nil }
    let score = weight / -log(uniform)
    return score > least ? score : nil
  }

  /// The last step of SplitMix64: each bit of the input changes half of the output's bits.
  static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
