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

  private let encoder: AACEncoder
  private let resampler: Resampler?
  private var waiting: [Int16] = []
  /// The media time of the encoder's first sample.
  private var start = MediaTime.zero
  private var packets: Int64 = 0

  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unavailable(codec:reason:)``
  public init(_ settings: AACEncoderSettings) throws(CodecError) {
    self.settings = settings
    encoder = try AACEncoder(settings)
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
    guard let end else {
      start = Self.time(of: position)
      return try take(samples, upTo: position + count)
    }
    guard position + count > end else { return [] }
    guard position > end else {
      let first = samples.startIndex + Int(end - position) * Self.channels
      return try take(samples[first...], upTo: position + count)
    }
    let hole = position - end
    guard hole <= Self.longestHole else {
      // Frame times jump with the audio but never decrease.
      start = start.advanced(microseconds: Self.time(of: hole) - .zero)
      return try take(samples, upTo: position + count)
    }
    return try silence(upTo: position) + take(samples, upTo: position + count)
  }

  /// Fills with silence up to `position`. Does nothing before the first audio.
  public func silence(upTo position: Int64) throws(CodecError) -> [Frame] {
    guard let end, position > end else { return [] }
    let count = Int(min(position - end, Self.longestHole))
    return try take([Int16](repeating: 0, count: count * Self.channels)[...], upTo: end + Int64(count))
  }

  private static func time(of position: Int64) -> MediaTime { MediaTime(ticks: position, rate: sampleRate) }

  private func take(_ samples: ArraySlice<Int16>, upTo position: Int64) throws(CodecError) -> [Frame] {
    end = position
    waiting += resampler?.process(Array(samples)) ?? Array(samples)
    let length = AACEncoder.frameCount * settings.format.channels
    var frames: [Frame] = []
    var taken = 0
    defer { waiting.removeFirst(taken) }
    while waiting.count - taken >= length {
      let block = Array(waiting[taken..<taken + length])
      taken += length
      guard let data = try encoder.encode(block) else { continue }
      // The first frames contain only the encoder's priming samples.
      let sample = packets * Int64(AACEncoder.frameCount) - Int64(encoder.delay)
      packets += 1
      guard sample >= 0 else { continue }
      let since = sample * 1_000_000 / Int64(settings.format.sampleRate)
      frames.append(Frame(data: data, time: start.advanced(microseconds: since)))
    }
    return frames
  }
}
