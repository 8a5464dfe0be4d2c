public import RTP

/// Gives sound the times of its samples: FLV has whole milliseconds, of which frames would overlap and leave holes.
public struct SoundClock: Sendable {
  /// Milliseconds by which the messages' times may differ from the count of samples before they are right and it is wrong.
  private static let tolerance: Int64 = 35

  private let rate: Int64
  private var next: Int64?

  /// - Parameter rate: samples a second; at least 1.
  public init(rate: Int) { self.rate = Int64(max(1, rate)) }

  /// When the next sample is due.
  public var due: MediaTime? { next.map { MediaTime(ticks: $0, rate: rate) } }

  /// Where a frame of so many samples begins, in samples. Never before the end of the one before.
  /// - Parameter time: as its message tells.
  public mutating func place(_ time: MediaTime, samples: Int64) -> Int64 {
    let told = time.ticks(rate: rate)
    var start = next ?? told
    if abs(told - start) * 1000 > Self.tolerance * rate { start = max(told, start) }
    next = start + samples
    return start
  }
}
