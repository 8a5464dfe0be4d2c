import Codecs

struct PictureSize: Hashable { let width, height: Int }

/// What was seen of a remote track that shows the test pattern.
struct PictureLog: Sendable {
  /// Pictures that came out of the decoder.
  private(set) var decoded = 0
  private(set) var size: PictureSize?
  /// The chroma of the last picture's background.
  private(set) var chroma: (u: Int, v: Int) = (0, 0)
  /// Pictures whose clock said no more than the one before.
  private(set) var repeated = 0
  /// Pictures without a legible clock.
  private(set) var illegible = 0
  private(set) var measured: Measurement?
  private var last: ClockBlocks.Reading?

  /// What was seen since the measurement began.
  struct Measurement: Sendable {
    /// Pictures that were sent between the first and the last one seen.
    var sent = 0
    var decoded = 0
    /// Milliseconds: how far behind the sender's clock the picture on the screen ever was, counted until the next one replaced it.
    var oldestShown: Int64 = 0
  }

  mutating func startMeasuring() { measured = Measurement() }

  /// - Parameter now: UNIX time in milliseconds, which the sender draws modulo 2^40.
  mutating func show(_ picture: VideoFrame, now: Int64) {
    decoded += 1
    size = PictureSize(width: picture.width, height: picture.height)
    chroma = picture.withPlanes { planes in
      // Between the digits and the box's third: nothing but background.
      let place = planes.chromaHeight * 6 / 10 * planes.chromaStride + 2
      return (Int(planes.u[place]), Int(planes.v[place]))
    }
    guard let reading = ClockBlocks.read(picture) else {
      illegible += 1
      return
    }
    if let last {
      let step = Int(Int16(bitPattern: reading.frame &- last.frame))
      if step <= 0 { repeated += 1 }
      measured?.decoded += 1
      measured?.sent += max(0, step)
      if let oldest = measured?.oldestShown {
        measured?.oldestShown = max(oldest, (now & (1 << 40 - 1)) - Int64(last.milliseconds))
      }
    }
    last = reading
  }
}
