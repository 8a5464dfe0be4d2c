public import RoomRTP

/// Computes exact audio times from sample counts. FLV times are whole milliseconds, which would make frames overlap and leave
/// gaps.
public struct SoundClock: Sendable {
  /// How far message times may deviate from the sample count in ms before the clock resynchronizes to them.
  private static let tolerance: Int64 = 35

  private let rate: Int64
  private var next: Int64?

  /// - Parameter rate: The sample rate in Hz; at least 1.
  public init(rate: Int) { self.rate = Int64(max(1, rate)) }

  /// The time of the next sample.
  public var due: MediaTime? { next.map { MediaTime(ticks: $0, rate: rate) } }

  /// Returns the position of a frame with this many samples, in samples. The position is never before the end of the previous
  /// frame.
  /// - Parameter time: The time of the frame's message.
  public mutating func place(_ time: MediaTime, samples: Int64) -> Int64 {
    let messageTicks = time.ticks(rate: rate)
    var start = next ?? messageTicks
    if abs(messageTicks - start) * 1000 > Self.tolerance * rate { start = max(messageTicks, start) }
    next = start + samples
    return start
  }
}
