/// Losses that come in bursts, as a Gilbert model: the link alternates between a state that loses every packet and one that
/// loses none. Both states last a random number of packets, with a geometric distribution.
///
/// It has a generator of its own and consumes one number a packet, so that it does not change the other random outcomes.
struct BurstLoss: Sendable {
  private var random: SeededGenerator
  private var isLosing = false

  init(seed: UInt64) { random = SeededGenerator(seed: seed ^ 0x6275_7273_7473) }

  /// Returns whether the next packet is lost.
  /// - Parameters:
  ///   - loss: fraction of all packets that are lost.
  ///   - length: mean number of packets in a burst, at least 1.
  mutating func next(loss: Double, length: Double) -> Bool {
    let chance = random.fraction()
    guard loss > 0, loss < 1 else {
      isLosing = loss >= 1
      return isLosing
    }
    let length = max(1, length)
    // With these two chances the share of the losing state is `loss`.
    isLosing = isLosing ? chance >= 1 / length : chance < loss / (length * (1 - loss))
    return isLosing
  }
}
