import Codecs
import RTP
import RoomClient
import Synchronization

/// Decodes a remote audio track into PCM at 48 kHz without holes.
///
/// A packet that is missing is made up for when the next one comes: from the copy that it carries, else by concealment. A playback
/// that is let go stops.
public final class AudioPlayback: Sendable {
  /// What was done so far.
  public struct Statistics: Sendable, Hashable {
    /// Packets decoded.
    public var decoded: UInt64 = 0
    /// Samples per channel out of these.
    public var samples: UInt64 = 0
    /// Samples per channel that came from the copy in the following packet.
    public var recoveredSamples: UInt64 = 0
    /// Samples per channel that were made up.
    public var concealedSamples: UInt64 = 0
    /// Packets that could not be decoded.
    public var failed: UInt64 = 0
    /// Packets that came after their time.
    public var late: UInt64 = 0
    /// Holes too long to fill: the publisher was silent.
    public var jumps: UInt64 = 0
    /// Runs of samples that were not read in time.
    public var unread: UInt64 = 0
  }

  /// Samples per channel of the longest hole that is filled: 200 ms.
  static let longestHole: Int64 = 9600

  /// What is decoded.
  public let track: RemoteTrack
  /// Of ``frames``.
  public let format: AudioFormat
  /// The samples, for one reader; ends with the subscription. Timestamps are on the publisher's clock.
  public let frames: AsyncStream<AudioFrame>
  private let shared: Shared
  private let task: Task<Void, Never>

  fileprivate final class Shared: Sendable {
    let statistics = Mutex(Statistics())
  }

  /// - Parameters:
  ///   - channels: 1 or 2, whatever the track has.
  ///   - backlog: runs of samples that the reader may leave unread; beyond it the oldest are dropped.
  /// - Throws: `CodecError.unavailable` for a codec that cannot be decoded here, or video.
  public init(_ track: RemoteTrack, channels: Int = 1, backlog: Int = 50) throws(CodecError) {
    guard track.codec == "opus" else {
      throw .unavailable(codec: track.codec, reason: "there is no audio decoder for it here")
    }
    let decoding = AudioDecoding(try OpusDecoder(channels: channels))
    let (frames, continuation) = AsyncStream.makeStream(
      of: AudioFrame.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    let shared = Shared()
    // Taken here, not in the task: what arrives from now on is not missed.
    let encoded = track.frames
    self.track = track
    self.frames = frames
    self.shared = shared
    format = AudioFormat(sampleRate: 48_000, channels: channels)
    task = Task { await decoding.run(encoded, continuation, shared) }
  }

  deinit { task.cancel() }

  /// What was done so far.
  public var statistics: Statistics { shared.statistics.withLock { $0 } }
}

private actor AudioDecoding {
  private let decoder: OpusDecoder
  private let format: AudioFormat
  private var times = TimestampUnwrapper()
  /// Where the next packet should begin, in samples; nil before the first.
  private var expected: Int64?
  private var usualCount = OpusEncoder.frameCount

  init(_ decoder: sending OpusDecoder) {
    format = AudioFormat(sampleRate: 48_000, channels: decoder.channels)
    self.decoder = decoder
  }

  func run(
    _ packets: AsyncStream<EncodedFrame>, _ samples: AsyncStream<AudioFrame>.Continuation, _ shared: AudioPlayback.Shared
  ) async {
    defer { samples.finish() }
    for await packet in packets {
      let time = times.unwrap(packet.timestamp)
      var statistics = AudioPlayback.Statistics()
      let decoded = decode(packet.data, at: time, &statistics)
      // First the numbers: who reads a frame finds it counted.
      shared.statistics.withLock { $0.add(statistics) }
      for frame in decoded {
        if case .dropped = samples.yield(frame) { shared.statistics.withLock { $0.unread += 1 } }
      }
    }
  }

  private func decode(_ packet: [UInt8], at time: Int64, _ statistics: inout AudioPlayback.Statistics) -> [AudioFrame] {
    var frames: [AudioFrame] = []
    if let expected, time != expected {
      let missing = time &- expected
      if missing < 0, missing > -AudioPlayback.longestHole {
        statistics.late += 1
        return []
      }
      if (0...AudioPlayback.longestHole).contains(missing) {
        fill(Int(missing), from: expected, next: packet, &frames, &statistics)
      } else {
        statistics.jumps += 1
      }
    }
    do throws(CodecError) {
      let samples = try decoder.decode(packet)
      let frame = frame(samples, at: time)
      usualCount = frame.frameCount
      expected = time &+ Int64(frame.frameCount)
      statistics.decoded += 1
      statistics.samples += UInt64(frame.frameCount)
      frames.append(frame)
    } catch {
      statistics.failed += 1
      fill(usualCount, from: time, next: [], &frames, &statistics)
      expected = time &+ Int64(usualCount)
    }
    return frames
  }

  /// Makes up for `count` samples: the last packet's worth from `next`, what lies before by concealment.
  private func fill(
    _ count: Int, from start: Int64, next: [UInt8], _ frames: inout [AudioFrame], _ statistics: inout AudioPlayback.Statistics
  ) {
    var position = start
    var left = count
    while left >= 120 {
      let isLast = left <= usualCount
      let samples =
        isLast && !next.isEmpty
        ? try? decoder.recover(from: next, frameCount: left) : try? decoder.conceal(frameCount: min(left, usualCount))
      guard let samples, !samples.isEmpty else { return }
      let frame = frame(samples, at: position)
      if isLast, !next.isEmpty {
        statistics.recoveredSamples += UInt64(frame.frameCount)
      } else {
        statistics.concealedSamples += UInt64(frame.frameCount)
      }
      frames.append(frame)
      position &+= Int64(frame.frameCount)
      left -= frame.frameCount
    }
  }

  private func frame(_ samples: [Int16], at time: Int64) -> AudioFrame {
    AudioFrame(samples: samples, format: format, timestamp: MediaTime(ticks: time, rate: 48_000))
  }
}

extension AudioPlayback.Statistics {
  fileprivate mutating func add(_ other: Self) {
    decoded += other.decoded
    samples += other.samples
    recoveredSamples += other.recoveredSamples
    concealedSamples += other.concealedSamples
    failed += other.failed
    late += other.late
    jumps += other.jumps
  }
}
