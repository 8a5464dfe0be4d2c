/// Writes the samples of one track to a fragmented MP4 file in memory. The times are the ticks of its RTP timestamps since the
/// first frame, so a gap in the track is a gap in the file.
///
/// Fragments last 2 s at most, and begin with a key frame if these are frequent enough.
struct TrackWriter {
  /// A fragment, and whether a player can start with it.
  struct Fragment: Sendable, Equatable {
    var bytes: [UInt8]
    /// Of its first frame.
    var time: Int64
    var startsWithKeyFrame: Bool
  }

  /// In seconds. After half of it, a key frame starts the next fragment.
  private static let fragmentLength: Int64 = 2
  private static let fragmentBytes = 8 << 20

  let format: TrackFormat
  let header: [UInt8]
  /// Samples of the next fragment; the last one's duration is known when the next one arrives.
  private var samples: [TrackMP4.Sample] = []
  private var bytes = 0
  private var number: UInt32 = 0
  /// The last interval between two frames in ticks.
  private var step: UInt32

  init(_ format: TrackFormat) {
    self.format = format
    header = TrackMP4.header(format)
    step = format.timescale / 25
  }

  /// Adds a frame.
  /// - Parameter time: Ticks since the first frame.
  /// - Returns: the fragment that it completes.
  mutating func add(_ sample: TrackSamples.Output, at time: Int64) -> Fragment? {
    var time = time
    if let last = samples.last {
      // Later frames may refer to one that is not later than the frame before: it is written a tick later, not dropped.
      time = max(time, last.time + 1)
      step = UInt32(clamping: time - last.time)
      samples[samples.count - 1].duration = step
    }
    let isDue = isDue(at: time, isKeyFrame: sample.isKeyFrame)
    let fragment = isDue ? cut() : nil
    samples.append(
      .init(
        time: time, duration: sample.duration ?? min(step, format.timescale), isKeyFrame: sample.isKeyFrame, data: sample.data))
    bytes += sample.data.count
    return fragment
  }

  /// Returns the last fragment.
  mutating func finish() -> Fragment? { cut() }

  private func isDue(at time: Int64, isKeyFrame: Bool) -> Bool {
    guard let first = samples.first else { return false }
    let age = time - first.time
    let length = Self.fragmentLength * Int64(format.timescale)
    return age >= length || bytes >= Self.fragmentBytes || format.codec != .opus && isKeyFrame && age >= length / 2
  }

  private mutating func cut() -> Fragment? {
    guard let first = samples.first else { return nil }
    number += 1
    defer {
      samples = []
      bytes = 0
    }
    return Fragment(bytes: TrackMP4.fragment(number, samples), time: first.time, startsWithKeyFrame: first.isKeyFrame)
  }
}
