import RoomRTP

/// The outcome of one packet with a transport sequence number, according to the far end's feedback.
public struct PacketOutcome: Sendable, Hashable {
  public var sent: Instant
  /// The size of the datagram in bytes.
  public var size: Int
  /// The arrival time on the receiver's clock, whose epoch is unknown; nil if the packet was lost.
  public var arrival: Instant?

  public init(sent: Instant, size: Int, arrival: Instant?) {
    self.sent = sent
    self.size = size
    self.arrival = arrival
  }
}

/// Estimates the available bitrate of the path to the far end, from transport-wide feedback
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01) or, if there is none, from receiver reports.
///
/// There are two estimates, and the lower one applies, similar to draft-ietf-rmcat-gcc-02:
/// - delay: packets with increasing delay fill a queue, so the estimate falls to 0.85 of the arrival rate.
/// - loss: above 12 % the estimate falls. Radio links lose a few percent at any rate, and reducing the rate for that would only
///   hurt: up to 8 % the estimate still grows.
public struct BandwidthEstimator: Sendable {
  public struct Configuration: Sendable, Hashable {
    /// The initial estimate in bits per second.
    public var start: Int
    public var minimum: Int
    public var maximum: Int

    public init(start: Int = 1_500_000, minimum: Int = 100_000, maximum: Int = 10_000_000) {
      self.minimum = max(10_000, minimum)
      self.maximum = max(self.minimum, maximum)
      self.start = min(max(start, self.minimum), self.maximum)
    }
  }

  /// The target in bits per second for all senders together.
  public private(set) var target: Int
  /// The share of lost packets, 0…1, smoothed over about a second.
  public private(set) var loss: Double = 0
  /// The recent arrival rate in bits per second; nil before the first second of feedback.
  public private(set) var arrivalRate: Int?

  private let configuration: Configuration
  private var trend = DelayTrend()
  private var lossWindow = (lost: 0, total: 0, began: Instant?.none)
  private var received = RateWindow()
  private var lastIncrease: Instant?
  private var lastDecrease: Instant?
  private var lastLossDecrease: Instant?

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    target = configuration.start
  }

  /// Processes the packet outcomes of one feedback packet, in sending order.
  public mutating func feedback(_ outcomes: [PacketOutcome], roundTripTime: Int64?, now: Instant) {
    for outcome in outcomes {
      lossWindow.total += 1
      guard let arrival = outcome.arrival else {
        lossWindow.lost += 1
        continue
      }
      received.add(bytes: outcome.size, at: arrival)
      trend.add(sent: outcome.sent, arrival: arrival)
    }
    arrivalRate = received.bitsPerSecond
    closeLossWindow(now: now)
    decide(roundTripTime: roundTripTime ?? 100_000, now: now)
  }

  /// Updates the estimate without transport-wide feedback: `fraction` of the packets of the last interval were lost, 0…1.
  public mutating func receiverReport(fractionLost fraction: Double, now: Instant) {
    loss += (fraction - loss) * 0.5
    decide(roundTripTime: 200_000, now: now)
  }

  /// Half a second of packets, or twenty of them, make a usable value; fewer are noise.
  private mutating func closeLossWindow(now: Instant) {
    let began = lossWindow.began ?? now
    lossWindow.began = began
    guard lossWindow.total >= 20, now - began >= 500_000 else { return }
    let fraction = Double(lossWindow.lost) / Double(lossWindow.total)
    loss += (fraction - loss) * 0.5
    lossWindow = (0, 0, now)
  }

  private mutating func decide(roundTripTime: Int64, now: Instant) {
    if trend.state == .overuse {
      // The effect of a decrease is visible one round trip and one feedback later.
      if lastDecrease.map({ now - $0 > roundTripTime + 200_000 }) ?? true {
        decrease(to: Double(min(target, arrivalRate ?? target)) * 0.85, now: now)
      }
      return
    }
    if loss > 0.12 {
      if lastLossDecrease.map({ now - $0 > roundTripTime + 300_000 }) ?? true {
        lastLossDecrease = now
        decrease(to: Double(target) * (1 - 0.5 * loss), now: now)
      }
      return
    }
    guard loss < 0.08, trend.state == .normal else {
      lastIncrease = now
      return
    }
    let elapsed = min(Double(now - (lastIncrease ?? now)) / 1_000_000, 1)
    lastIncrease = now
    // A source that sends below its target proves at most twice its rate.
    let proven = arrivalRate.map { max($0 * 2, configuration.start) } ?? configuration.start
    guard target < proven else { return }
    // Grow carefully near the last known ceiling, elsewhere by 8 % per second.
    let grown = Double(target) * (1 + 0.08 * elapsed) + 1000 * elapsed
    target = clamp(min(grown, Double(max(proven, target))))
  }

  private mutating func decrease(to rate: Double, now: Instant) {
    target = clamp(min(rate, Double(target)))
    lastDecrease = now
    lastIncrease = now
  }

  private func clamp(_ rate: Double) -> Int {
    Int(min(max(rate, Double(configuration.minimum)), Double(configuration.maximum)))
  }
}

/// The bitrate over the last second of arrivals.
struct RateWindow: Sendable {
  private static let slots = 20
  private static let slotLength: Int64 = 50_000
  private var bytes = [Int](repeating: 0, count: Self.slots)
  private var newest: Int64?
  private var first: Int64 = 0

  mutating func add(bytes count: Int, at time: Instant) {
    let slot = time.microseconds / Self.slotLength
    guard let last = newest else {
      newest = slot
      first = slot
      bytes[index(slot)] = count
      return
    }
    if slot > last {
      for passed in max(last + 1, slot - Int64(Self.slots) + 1)...slot { bytes[index(passed)] = 0 }
      newest = slot
    } else if last - slot >= Int64(Self.slots) {
      return
    }
    bytes[index(slot)] += count
  }

  /// The bitrate in bits per second; nil before half a second of arrivals.
  var bitsPerSecond: Int? {
    guard let newest else { return nil }
    let seen = min(newest - first + 1, Int64(Self.slots))
    guard seen >= Int64(Self.slots) / 2 else { return nil }
    return Int(Int64(bytes.reduce(0, +)) * 8 * 1_000_000 / (seen * Self.slotLength))
  }

  private func index(_ slot: Int64) -> Int {
    Int(((slot % Int64(Self.slots)) + Int64(Self.slots)) % Int64(Self.slots))
  }
}
