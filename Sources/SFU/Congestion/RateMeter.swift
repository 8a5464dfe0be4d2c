import RoomRTP

/// Measures the byte, packet and frame rates of the last complete interval.
struct RateMeter: BitwiseCopyable {
  private var bytes = 0
  private var packets = 0
  private var frames = 0
  private var since = Int64.min
  private(set) var kbps = 0
  private(set) var framesPerSecond = 0
  /// The bitrate in bits per second with what each packet adds to its payload: the highest of late, which falls slowly.
  private(set) var wireRate = 0
  /// The same in the last interval alone.
  private(set) var currentWireRate = 0

  /// The bytes of header, extensions and tag.
  private static let overhead = 44

  /// Starts with the rates of the same stream at another worker.
  init(kbps: Int, framesPerSecond: Int, wireRate: Int) {
    self.kbps = kbps
    self.framesPerSecond = framesPerSecond
    self.wireRate = wireRate
    currentWireRate = wireRate
  }

  init() {}

  /// Begins an interval, without what was added before.
  mutating func begin(at now: Instant) { (bytes, packets, frames, since) = (0, 0, 0, now.microseconds) }

  @inline(__always) mutating func add(bytes count: Int) {
    bytes &+= count
    packets &+= 1
  }
  @inline(__always) mutating func addFrame() { frames &+= 1 }

  /// Ends the interval. Called about once a second.
  mutating func roll(_ now: Instant) {
    defer {
      since = now.microseconds
      bytes = 0
      packets = 0
      frames = 0
    }
    guard since != .min else { return }
    let elapsed = max(1, now.microseconds &- since)
    kbps = Int(Int64(bytes) &* 8000 / elapsed)
    framesPerSecond = Int((Int64(frames) &* 1_000_000 &+ elapsed / 2) / elapsed)
    let rate = Int(Int64(bytes &+ packets &* Self.overhead) &* 8_000_000 / elapsed)
    currentWireRate = rate
    wireRate = max(rate, wireRate &- wireRate / 4)
  }
}
