/// What one direction of a link does to the packets on it. The default is a perfect link.
public struct LinkConditions: Sendable, Hashable {
  /// Fraction of packets that vanish at random, 0…1.
  public var loss: Double
  /// Microseconds that every packet takes.
  public var delay: Int64
  /// Microseconds more that a packet takes at most, drawn evenly. Alone it never puts packets out of order.
  public var jitter: Int64
  /// Bits per second that the link carries; nil for no limit.
  public var rate: Int64?
  /// Bytes that wait for the link at most; a packet that finds no room is dropped. Meaningful with a `rate`.
  public var queue: Int
  /// Fraction of packets, 0…1, that are held back by `reorderDelay` and overtaken by those behind them.
  public var reorder: Double
  /// Microseconds that a held-back packet is late.
  public var reorderDelay: Int64
  /// Fraction of packets, 0…1, that arrive a second time, a millisecond after the first.
  public var duplication: Double

  /// Fractions outside 0…1 act as the nearer bound; negative times, rates and sizes as none.
  public init(
    loss: Double = 0, delay: Int64 = 0, jitter: Int64 = 0, rate: Int64? = nil, queue: Int = 64 * 1024, reorder: Double = 0,
    reorderDelay: Int64 = 20_000, duplication: Double = 0
  ) {
    self.loss = loss
    self.delay = delay
    self.jitter = jitter
    self.rate = rate
    self.queue = queue
    self.reorder = reorder
    self.reorderDelay = reorderDelay
    self.duplication = duplication
  }

  /// Every packet arrives at once.
  public static let perfect = LinkConditions()
}
