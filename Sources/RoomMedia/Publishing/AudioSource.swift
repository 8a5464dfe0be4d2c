import RoomCodecs
import Foundation
import RoomRTP
import RoomClient
import Synchronization

/// Encodes PCM to a ``track`` that a room can publish: Opus in packets of 20 ms.
///
/// Input of any sample rate and channel count is converted to the settings' format. The encoder expects the loss that the server
/// reports, in place of `OpusEncoderSettings.expectedLoss`, as soon as there is a report. A source that is released stops.
public final class AudioSource: Sendable {
  /// The counters of a source since its start.
  public struct Statistics: Sendable, Hashable {
    /// The number of encoded packets of 20 ms.
    public var encoded: UInt64 = 0
    /// The number of packets among them that contain silence and are not sent, with discontinuous transmission.
    public var silent: UInt64 = 0
    /// The loss in percent that the encoder expects.
    public var expectedLoss = 0
    /// The number of frames dropped because the encoder was busy.
    public var dropped: UInt64 = 0
    /// The number of frames that could not be encoded.
    public var failed: UInt64 = 0
  }

  /// The number of frames that may wait for the encoder. Beyond it the oldest are dropped.
  public static let backlog = 50

  /// The track to publish.
  public let track: LocalAudioTrack
  private let control: AudioControl
  let queue = SourceQueue<AudioFrame>(backlog: AudioSource.backlog)

  /// Creates a source.
  /// - Parameters:
  ///   - settings: the encoder's settings; mono at 32 kbit/s by default.
  ///   - tag: free text for the other participants, at most 64 bytes.
  ///   - isMain: whether this is the main audio track.
  /// - Throws: `CodecError` for settings out of range.
  public init(_ settings: OpusEncoderSettings = .init(), tag: String = "microphone", isMain: Bool = true) throws {
    let track = LocalAudioTrack(tag: tag, isMain: isMain, channels: settings.channels)
    let encoding = try AudioEncoding(settings)
    let control = AudioControl(settings)
    self.track = track
    self.control = control
    let (frames, losses) = (queue.frames, track.feed.lossReports)
    queue.run { await encoding.run(frames, control, track) }
    queue.run { for await share in losses { control.lossReported(share) } }
  }

  deinit { queue.end() }

  /// The current settings.
  public var settings: OpusEncoderSettings { control.state.withLock { $0.settings } }
  /// The counters of a source since its start.
  public var statistics: Statistics {
    var statistics = control.state.withLock { $0.statistics }
    statistics.dropped = queue.dropped
    return statistics
  }

  /// Adds the next samples, any number of them. The samples follow the previous ones without a gap unless their timestamp is
  /// more than 60 ms later.
  ///
  /// Returns at once; encoding runs in a task. Video and audio sources need no common clock: receivers align their tracks by
  /// the time of sending.
  /// - Returns: false if a frame was dropped: the oldest one that waited, because the encoder is busy, or this one, because the
  ///   source has stopped. A producer that can slow down may use it; ``Statistics/dropped`` counts the former.
  @discardableResult public func push(_ frame: AudioFrame) -> Bool { queue.push(frame) }

  /// Applies new settings from the next packet on, without an interruption.
  /// - Throws: `CodecError.invalidSetting` for values out of range, or for another channel count or application. The old
  ///   settings remain.
  public func reconfigure(_ settings: OpusEncoderSettings) throws {
    // This encoder only validates the settings.
    try OpusEncoder(self.settings).reconfigure(settings)
    control.state.withLock { $0.settings = settings }
  }

  /// Stops encoding. Samples pushed later are ignored.
  public func stop() { queue.end() }
}

/// The settings for the encoding task, and its counters.
final class AudioControl: Sendable {
  struct State: Sendable {
    var settings: OpusEncoderSettings
    var loss = ExpectedLoss()
    var statistics = AudioSource.Statistics()

    /// The settings with the loss of the path.
    var current: OpusEncoderSettings {
      var current = settings
      if let percent = loss.percent { current.expectedLoss = percent }
      return current
    }
  }

  let state: Mutex<State>

  init(_ settings: OpusEncoderSettings) { state = Mutex(State(settings: settings)) }

  func lossReported(_ share: Double) { state.withLock { $0.loss.report(share) } }
}

/// The encoder, and the samples that do not yet fill a packet.
private actor AudioEncoding {
  private let encoder: OpusEncoder
  private let format: AudioFormat
  private var resampler: Resampler?
  private var waiting: [Int16] = []
  /// The start of the next packet, in samples at 48 kHz; nil before the first.
  private var position: Int64?

  init(_ settings: OpusEncoderSettings) throws(CodecError) {
    encoder = try OpusEncoder(settings)
    format = AudioFormat(sampleRate: 48_000, channels: settings.channels)
  }

  func run(_ frames: AsyncStream<AudioFrame>, _ control: AudioControl, _ track: LocalAudioTrack) async {
    for await frame in frames {
      do throws(CodecError) {
        let settings = control.state.withLock(\.current)
        if settings != encoder.settings { try encoder.reconfigure(settings) }
        align(to: frame.timestamp)
        waiting += try samples(of: frame)
        try encodeWaiting(track, control)
      } catch {
        control.state.withLock { $0.statistics.failed += 1 }
      }
    }
  }

  private func samples(of frame: AudioFrame) throws(CodecError) -> [Int16] {
    if frame.format == format { return frame.samples }
    if resampler?.input != frame.format { resampler = try Resampler(from: frame.format, to: format) }
    return resampler?.process(frame.samples) ?? []
  }

  /// Keeps a gap of the source in the packets' timestamps.
  private func align(to timestamp: MediaTime) {
    let wanted = timestamp.milliseconds &* 48
    guard let position else {
      self.position = wanted
      return
    }
    let ahead = wanted &- (position &+ Int64(waiting.count / format.channels))
    guard ahead > 48 * 60 else { return }
    waiting = []
    self.position = wanted
  }

  private func encodeWaiting(_ track: LocalAudioTrack, _ control: AudioControl) throws(CodecError) {
    let size = OpusEncoder.frameCount * format.channels
    var start = 0
    defer { waiting.removeFirst(start) }
    while waiting.count - start >= size {
      let samples = Array(waiting[start..<start + size])
      start += size
      let time = position ?? 0
      position = time &+ Int64(OpusEncoder.frameCount)
      let packet = try encoder.encode(samples)
      control.state.withLock { state in
        state.statistics.encoded += 1
        state.statistics.silent += packet.isEmpty ? 1 : 0
        state.statistics.expectedLoss = encoder.settings.expectedLoss
      }
      guard !packet.isEmpty else { continue }
      track.send(
        EncodedFrame(data: packet, timestamp: UInt32(truncatingIfNeeded: time), isKeyFrame: true),
        level: Self.loudness(AudioFrame(samples: samples, format: format).level))
    }
  }

  /// Returns the loudness in dBov, −127…0 (RFC 6464).
  private static func loudness(_ level: Double) -> Int {
    level > 0 ? max(-127, min(0, Int((20 * log10(level)).rounded()))) : -127
  }
}
