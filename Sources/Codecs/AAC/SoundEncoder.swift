public import RoomRTP

/// Encodes stereo audio on a grid of 48 kHz, with sample 0 at media time 0, to AAC frames without gaps. Each frame's 1024 samples follow the previous
/// ones, whichever program made them.
public final class SoundEncoder {
  /// A frame and its media time.
  public struct Frame: Sendable {
    public var data: [UInt8]
    public var time: MediaTime
  }

  /// A longer gap is not filled but starts anew: 3 s.
  private static let longestHole = 3 * sampleRate
  private static let sampleRate: Int64 = 48_000
  private static let channels = 2

  /// The settings of the AAC encoder.
  public let settings: AACEncoderSettings
  /// The grid position after the last sample accepted; nil before the first.
  public private(set) var end: Int64?

  private let encoder: AACEncoderPool.Stream
  /// Whether blocks begin at multiples of 1024 samples of the output since media time 0.
  private let isAligned: Bool
  private let resampler: Resampler?
  private var waiting: [Int16] = []
  /// The number of the next block.
  private var number: Int64 = 0
  /// The number of blocks that the encoder has got.
  private var blocks: Int64 = 0
  /// The media time of the encoder's first sample, if there had been no hole since.
  private var start = MediaTime.zero

  /// - Parameter pool: the encoders of streams that may carry the same sound; nil for a stream that shares no encoder. In a pool the blocks
  ///   of all streams begin at the same samples, so the first frame begins with silence, of up to 27 ms at 44.1 kHz.
  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unavailable(codec:reason:)``
  public init(_ settings: AACEncoderSettings, in pool: AACEncoderPool? = nil) throws(CodecError) {
    self.settings = settings
    isAligned = pool != nil
    encoder = try AACEncoderPool.Stream(settings, of: pool ?? AACEncoderPool())
    resampler = settings.format == .stereo48k ? nil : try Resampler(from: .stereo48k, to: settings.format)
  }

  /// The AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1.
  public var audioSpecificConfig: [UInt8] { encoder.audioSpecificConfig }

  /// Sets the bitrate in bps; nil restores the one in the settings.
  public func setBitrate(_ bitrate: Int?) { encoder.setBitrate(bitrate ?? settings.bitrate) }

  /// Encodes stereo samples starting at `position`. Skips samples that were already accepted and fills gaps with silence.
  public func write(_ samples: ArraySlice<Int16>, at position: Int64) throws(CodecError) -> [Frame] {
    let count = Int64(samples.count / Self.channels)
    guard count > 0 else { return [] }
    guard let end else { return try begin(at: position) + take(samples, upTo: position + count) }
    guard position + count > end else { return [] }
    guard position > end else {
      let first = samples.startIndex + Int(end - position) * Self.channels
      return try take(samples[first...], upTo: position + count)
    }
    // Frame times jump with the audio but never decrease.
    let before = position - end > Self.longestHole ? try begin(at: position) : try silence(upTo: position)
    return try before + take(samples, upTo: position + count)
  }

  /// Fills with silence up to `position`. Does nothing before the first audio.
  public func silence(upTo position: Int64) throws(CodecError) -> [Frame] {
    guard let end, position > end else { return [] }
    let count = min(position - end, Self.longestHole)
    return try take(Self.silence(count)[...], upTo: end + count)
  }

  private static func silence(_ count: Int64) -> [Int16] { [Int16](repeating: 0, count: Int(count) * channels) }

  private static func time(of position: Int64) -> MediaTime { MediaTime(ticks: position, rate: sampleRate) }

  /// Lets the next sample be that at `position`, or an earlier one that begins a block.
  private func begin(at position: Int64) throws(CodecError) -> [Frame] {
    let (rate, length) = (Int64(settings.format.sampleRate), Int64(AACEncoder.frameCount))
    var frames: [Frame] = []
    if end != nil {
      waiting += resampler?.flush() ?? []
      let rest = waiting.count % blockLength
      if rest > 0 { waiting += [Int16](repeating: 0, count: blockLength - rest) }
      frames = try encode()
    }
    end = position
    guard isAligned else {
      start = Self.time(of: position).advanced(microseconds: -blocks * length * 1_000_000 / rate)
      return frames
    }
    // The last position before at which the output has a sample, too.
    let shared = Self.sampleRate / Self.greatestDivisor(Self.sampleRate, rate)
    let early = (position % shared + shared) % shared
    let sample = (position - early) / shared * (rate * shared / Self.sampleRate)
    let lead = (sample % length + length) % length
    number = (sample - lead) / length
    start = MediaTime(ticks: sample - lead, rate: rate).advanced(microseconds: -blocks * length * 1_000_000 / rate)
    waiting = [Int16](repeating: 0, count: Int(lead) * settings.format.channels)
    end = position - early
    return try frames + take(Self.silence(early)[...], upTo: position)
  }

  private static func greatestDivisor(_ first: Int64, _ second: Int64) -> Int64 {
    second == 0 ? first : greatestDivisor(second, first % second)
  }

  private var blockLength: Int { AACEncoder.frameCount * settings.format.channels }

  private func take(_ samples: ArraySlice<Int16>, upTo position: Int64) throws(CodecError) -> [Frame] {
    end = position
    waiting += resampler?.process(Array(samples)) ?? Array(samples)
    return try encode()
  }

  /// Encodes whole blocks.
  private func encode() throws(CodecError) -> [Frame] {
    var frames: [Frame] = []
    var taken = 0
    defer { waiting.removeFirst(taken) }
    while waiting.count - taken >= blockLength {
      let block = Array(waiting[taken..<taken + blockLength])
      taken += blockLength
      defer {
        number += 1
        blocks += 1
      }
      guard let data = try encoder.encode(block, number: number) else { continue }
      // The encoder returns the frame of the block before. The first frames contain only the encoder's priming samples.
      let sample = (blocks - 1) * Int64(AACEncoder.frameCount) - Int64(encoder.delay)
      guard sample >= 0 else { continue }
      let since = sample * 1_000_000 / Int64(settings.format.sampleRate)
      frames.append(Frame(data: data, time: start.advanced(microseconds: since)))
    }
    return frames
  }
}
