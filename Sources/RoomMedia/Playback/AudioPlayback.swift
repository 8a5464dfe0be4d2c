import RoomCodecs
import RoomRTP
import RoomClient
import Synchronization

/// Decodes a remote audio track to continuous PCM at 48 kHz.
///
/// A missing packet is replaced when the next one arrives: from the redundant copy in that packet, or by concealment. A
/// playback that is released stops.
public final class AudioPlayback: Sendable {
  /// The counters of a playback since its start.
  public struct Statistics: Sendable, Hashable {
    /// The number of decoded packets.
    public var decoded: UInt64 = 0
    /// The number of samples per channel of the decoded packets.
    public var samples: UInt64 = 0
    /// The number of samples per channel recovered from the copy in the following packet.
    public var recoveredSamples: UInt64 = 0
    /// The number of concealed samples per channel.
    public var concealedSamples: UInt64 = 0
    /// The number of packets that could not be decoded.
    public var failed: UInt64 = 0
    /// The number of packets that arrived too late.
    public var late: UInt64 = 0
    /// The number of gaps over 200 ms, which are not filled: the publisher was silent.
    public var jumps: UInt64 = 0
    /// The number of frames that were not read in time.
    public var unread: UInt64 = 0
  }

  /// The longest gap that is filled, in samples per channel: 200 ms.
  static let longestHole: Int64 = 9600

  /// The decoded track.
  public let track: RemoteTrack
  /// The format of ``frames``: 48 kHz.
  public let format: AudioFormat
  /// The decoded samples, for one reader. The stream ends with the subscription. Timestamps are on the publisher's clock.
  public let frames: AsyncStream<AudioFrame>
  private let shared: Shared
  private let task: Task<Void, Never>

  fileprivate final class Shared: Sendable {
    let statistics = Mutex(Statistics())
  }

  /// Starts to decode a track.
  /// - Parameters:
  ///   - track: an Opus track.
  ///   - channels: the number of output channels, 1 or 2, independent of the track's.
  ///   - backlog: the number of frames that the reader may leave unread. Beyond it the oldest are dropped.
  /// - Throws: `CodecError.unavailable` for a video track or an unsupported codec.
  public init(_ track: RemoteTrack, channels: Int = 1, backlog: Int = 50) throws(CodecError) {
    guard track.codec == .opus else {
      throw .unavailable(codec: track.codec.rawValue, reason: "no audio decoder is available")
    }
    let decoding = AudioDecoding(try OpusDecoder(channels: channels))
    let (frames, continuation) = AsyncStream.makeStream(
      of: AudioFrame.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    let shared = Shared()
    // Subscribed here and not in the task, so that no frame from now on is missed.
    let encoded = track.frames
    self.track = track
    self.frames = frames
    self.shared = shared
    format = AudioFormat(sampleRate: 48_000, channels: channels)
    task = Task { await decoding.run(encoded, continuation, shared) }
  }

  deinit { task.cancel() }

  /// The counters of a playback since its start.
  public var statistics: Statistics { shared.statistics.withLock { $0 } }
}

private actor AudioDecoding {
  private let decoder: OpusDecoder
  private let format: AudioFormat
  private var times = TimestampUnwrapper()
  /// The expected start of the next packet in samples; nil before the first.
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
      // Counted first, so that the counters include every frame that the reader has.
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

  /// Fills `count` samples: the last packet's worth from `next`, the ones before by concealment.
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
