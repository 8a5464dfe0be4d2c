public import RoomRTP

/// The layout of PCM.
public struct AudioFormat: Sendable, Hashable {
  /// The sample rate in Hz, 8 000…192 000.
  public var sampleRate: Int
  /// The number of channels, 1…8.
  public var channels: Int

  /// Values out of range are rejected on use.
  public init(sampleRate: Int, channels: Int) {
    self.sampleRate = sampleRate
    self.channels = channels
  }

  /// The mono format of the Opus codec.
  public static let mono48k = AudioFormat(sampleRate: 48_000, channels: 1)
  /// The stereo format of the Opus codec.
  public static let stereo48k = AudioFormat(sampleRate: 48_000, channels: 2)

  func check() throws(CodecError) {
    guard (8_000...192_000).contains(sampleRate) else {
      throw .invalidSetting("sampleRate must be 8 000…192 000, not \(sampleRate)")
    }
    guard (1...8).contains(channels) else { throw .invalidSetting("channels must be 1…8, not \(channels)") }
  }
}

/// 16-bit PCM with interleaved channels and a timestamp.
public struct AudioFrame: Sendable, Equatable {
  /// `frameCount` × channels values.
  public var samples: [Int16]
  /// The format of `samples`.
  public var format: AudioFormat
  /// The first sample's time on the source's timeline.
  ///
  /// Microseconds from any start. Audio and pictures may share a clock but need not: receivers align the tracks by the time of
  /// sending, so push both as they are captured.
  public var timestamp: MediaTime

  /// `samples` are not validated against the format. An incomplete last one is not counted in ``frameCount``.
  public init(samples: [Int16], format: AudioFormat, timestamp: MediaTime = .zero) {
    self.samples = samples
    self.format = format
    self.timestamp = timestamp
  }

  /// The number of samples per channel.
  public var frameCount: Int { samples.count / max(1, format.channels) }
  /// The duration in µs.
  public var duration: Int64 { Int64(frameCount) * 1_000_000 / Int64(max(1, format.sampleRate)) }

  /// The time after the last sample.
  public var end: MediaTime { timestamp.advanced(microseconds: duration) }

  /// The root mean square over all channels relative to full scale, 0…1.
  public var level: Double {
    guard !samples.isEmpty else { return 0 }
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (sum / Double(samples.count)).squareRoot() / 32768
  }
}
