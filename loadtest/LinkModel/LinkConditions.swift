/// The conditions in one direction of a link. The default is a perfect link.
public struct LinkConditions: Sendable, Hashable {
  /// Fraction of packets lost at random, 0…1.
  public var loss: Double
  /// Mean number of consecutive packets that a loss takes. Up to 1, losses are independent of each other. More makes the losses
  /// those of a Gilbert model, with the same fraction `loss` of all packets.
  public var burst: Double
  /// Delay of every packet, in microseconds.
  public var delay: Int64
  /// Maximum additional delay of a packet in microseconds, uniformly distributed. Jitter alone never reorders packets.
  public var jitter: Int64
  /// Bandwidth of the link in bps; nil for no limit.
  public var rate: Int64?
  /// Maximum number of bytes queued for the link. Packets beyond it are dropped. Has an effect only with a `rate`.
  public var queue: Int
  /// Fraction of packets, 0…1, that are delayed by `reorderDelay` so that later packets overtake them.
  public var reorder: Double
  /// Additional delay of a reordered packet, in microseconds.
  public var reorderDelay: Int64
  /// Fraction of packets, 0…1, that arrive a second time, 1 ms after the first.
  public var duplication: Double

  /// Fractions outside 0…1 act as the nearest bound, negative times as 0, and a rate of 0 or less as no limit.
  public init(
    loss: Double = 0, burst: Double = 1, delay: Int64 = 0, jitter: Int64 = 0, rate: Int64? = nil, queue: Int = 64 * 1024,
    reorder: Double = 0, reorderDelay: Int64 = 20_000, duplication: Double = 0
  ) {
    self.loss = loss
    self.burst = burst
    self.delay = delay
    self.jitter = jitter
    self.rate = rate
    self.queue = queue
    self.reorder = reorder
    self.reorderDelay = reorderDelay
    self.duplication = duplication
  }

  /// Limits the rate, with a queue that takes `milliseconds` to drain at that rate.
  public mutating func limit(rate: Int64, queueing milliseconds: Int64) {
    self.rate = rate
    queue = max(1500, Int(rate / 8 * milliseconds / 1000))
  }

  /// Delivers every packet immediately.
  public static let perfect = LinkConditions()
}
