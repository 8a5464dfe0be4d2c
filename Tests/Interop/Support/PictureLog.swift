import RoomCodecs

struct PictureSize: Hashable { let width, height: Int }

/// What was observed of a remote track with the test pattern.
struct PictureLog: Sendable {
  /// Number of decoded pictures.
  private(set) var decoded = 0
  private(set) var size: PictureSize?
  /// The chroma of the last picture's background.
  private(set) var chroma: (u: Int, v: Int) = (0, 0)
  /// Pictures whose clock did not advance.
  private(set) var repeated = 0
  /// Pictures whose clock was not readable.
  private(set) var illegible = 0
  private(set) var measured: Measurement?
  private var last: ClockBlocks.Reading?

  /// What was observed since the measurement started.
  struct Measurement: Sendable {
    /// Pictures that were sent between the first and the last one observed.
    var sent = 0
    var decoded = 0
    /// The maximum age of the picture on screen by the sender's clock, in milliseconds, until the next picture replaced it.
    var oldestShown: Int64 = 0
  }

  mutating func startMeasuring() { measured = Measurement() }

  /// - Parameter now: UNIX time in milliseconds; the picture contains the sender's modulo 2^40.
  mutating func show(_ picture: VideoFrame, now: Int64) {
    decoded += 1
    size = PictureSize(width: picture.width, height: picture.height)
    chroma = picture.withPlanes { planes in
      // Between the digits and the last third of the box, there is only background.
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
