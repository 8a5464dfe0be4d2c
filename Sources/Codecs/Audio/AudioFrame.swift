public import RTP

/// How PCM is laid out.
public struct AudioFormat: Sendable, Hashable {
  /// Samples per second and channel, 8 000…192 000.
  public var sampleRate: Int
  /// 1…8.
  public var channels: Int

  /// Values outside the ranges are refused where the format is used.
  public init(sampleRate: Int, channels: Int) {
    self.sampleRate = sampleRate
    self.channels = channels
  }

  /// What Opus works at here.
  public static let mono48k = AudioFormat(sampleRate: 48_000, channels: 1)
  /// What Opus works at here.
  public static let stereo48k = AudioFormat(sampleRate: 48_000, channels: 2)

  func check() throws(CodecError) {
    guard (8_000...192_000).contains(sampleRate) else {
      throw .invalidSetting("sampleRate must be 8 000…192 000, not \(sampleRate)")
    }
    guard (1...8).contains(channels) else { throw .invalidSetting("channels must be 1…8, not \(channels)") }
  }
}

/// 16-bit PCM, channels interleaved, with its time.
public struct AudioFrame: Sendable, Equatable {
  /// `frameCount` × channels values.
  public var samples: [Int16]
  /// How `samples` are to be read.
  public var format: AudioFormat
  /// The first sample's time, on its source's timeline.
  public var timestamp: MediaTime

  /// `samples` are not checked against the format; a last incomplete one is left out of ``frameCount``.
  public init(samples: [Int16], format: AudioFormat, timestamp: MediaTime = .zero) {
    self.samples = samples
    self.format = format
    self.timestamp = timestamp
  }

  /// Samples per channel.
  public var frameCount: Int { samples.count / max(1, format.channels) }
  /// Microseconds.
  public var duration: Int64 { Int64(frameCount) * 1_000_000 / Int64(max(1, format.sampleRate)) }

  /// The time after the last sample.
  public var end: MediaTime { timestamp.advanced(microseconds: duration) }

  /// Root mean square over all channels, relative to full scale: 0…1.
  public var level: Double {
    guard !samples.isEmpty else { return 0 }
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (sum / Double(samples.count)).squareRoot() / 32768
  }
}
