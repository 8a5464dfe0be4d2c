/// A TCP sender with CUBIC (RFC 9438) in virtual time, simplified: no delayed acknowledgements, and losses are repaired at once.
///
/// Times are in microseconds.
public final class CubicFlow {
  private struct Segment {
    var acknowledged: Int64
    var isLost: Bool
  }

  private static let size = 1500
  private static let initialWindow = 10.0

  private let back: Int64
  private let sizes: (() -> (bytes: Int, pause: Double))?
  private var left: Int
  private var segments: [Segment] = []
  private var head = 0
  private var window = CubicFlow.initialWindow
  private var threshold = Double.infinity
  private var maximum = 0.0
  private var epoch: Int64 = 0
  private var recoverUntil = 0
  private var roundTrip = 0.1
  private var startAt: Int64
  /// When `act` is due.
  public private(set) var due: Int64
  /// The bytes received in each tenth of a second.
  private var received: [Int] = []

  /// Creates a sender that starts after some seconds. `sizes` gives the length of each transfer and the pause after it; if nil,
  /// it never ends. `back` is the delay of acknowledgements in microseconds.
  public init(start: Double, back: Int64, sizes: (() -> (bytes: Int, pause: Double))? = nil) {
    self.back = back
    self.sizes = sizes
    left = sizes?().bytes ?? .max
    startAt = Int64(start * 1_000_000)
    due = startAt
  }

  /// Takes acknowledgements and sends what the window allows. `send` sends a packet of some bytes and returns its arrival; nil if
  /// it was lost.
  public func act(now: Int64, send: (Int) -> Int64?) {
    while head < segments.count, segments[head].acknowledged <= now {
      if segments[head].isLost { lose(now) } else { grow(now) }
      head += 1
    }
    while left > 0, now >= startAt, segments.count - head < Int(window) { sendSegment(now, send) }
    if left <= 0, head == segments.count, let sizes {
      let next = sizes()
      left = next.bytes
      startAt = now + Int64(next.pause * 1_000_000)
      window = Self.initialWindow
      threshold = .infinity
    }
    due = head < segments.count ? segments[head].acknowledged : max(startAt, now + 1)
  }

  private func sendSegment(_ now: Int64, _ send: (Int) -> Int64?) {
    let arrival = send(Self.size)
    left -= Self.size
    if let arrival {
      let slot = Int(arrival / 100_000)
      while received.count <= slot { received.append(0) }
      received[slot] += Self.size
      roundTrip = Double(arrival + back - now) / 1_000_000
      segments.append(Segment(acknowledged: max(arrival + back, segments.last?.acknowledged ?? 0), isLost: false))
    } else {
      // Later segments reveal the loss about when its own acknowledgement was due.
      let due = max(segments.last?.acknowledged ?? 0, now + Int64(roundTrip * 1_000_000))
      segments.append(Segment(acknowledged: due, isLost: true))
    }
  }

  private func lose(_ now: Int64) {
    left += Self.size
    guard head >= recoverUntil else { return }
    recoverUntil = segments.count
    maximum = window < maximum ? window * 0.85 : window
    window = max(2, window * 0.7)
    threshold = window
    epoch = now
  }

  private func grow(_ now: Int64) {
    if window < threshold {
      window += 1
      return
    }
    let time = Double(now - epoch) / 1_000_000
    let offset = maximumOffset
    let cubic = 0.4 * (time - offset) * (time - offset) * (time - offset) + maximum
    let friendly = maximum * 0.7 + 0.53 * time / roundTrip
    window = max(window, min(max(cubic, friendly), window + 1))
  }

  /// The seconds until the window has its size before the loss again: K of RFC 9438.
  private var maximumOffset: Double {
    let cube = maximum * 0.3 / 0.4
    var root = max(cube / 3, 1)
    for _ in 0..<20 { root -= (root * root * root - cube) / (3 * root * root) }
    return root
  }

  /// The bitrate received between two times in seconds.
  public func rate(from: Double, to: Double) -> Double {
    let slots = received[min(Int(from * 10), received.count)..<min(Int(to * 10), received.count)]
    return Double(slots.reduce(0, +) * 8) / (to - from)
  }
}
