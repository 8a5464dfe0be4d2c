import RoomRTP

/// The configuration that an AAC decoder needs before the first frame (ISO/IEC 14496-3 §1.6.2.1): the body of the sequence
/// header.
public struct AudioSpecificConfig: Hashable, Sendable {
  /// 2 for AAC-LC, 5 for HE-AAC, 29 for HE-AAC v2.
  public var objectType: UInt8
  /// Samples per second and channel in Hz; for HE-AAC, those of the core.
  public var sampleRate: Int
  /// 0 if the stream itself has the configuration; 7 is eight channels.
  public var channelConfiguration: UInt8

  /// Creates a configuration for AAC-LC with this rate in Hz and 1…6 channels.
  public init(sampleRate: Int, channels: Int) {
    objectType = 2
    self.sampleRate = sampleRate
    channelConfiguration = UInt8(clamping: channels)
  }

  /// Creates the configuration of an ADTS header (ISO/IEC 13818-7 §6.2). Returns nil for a reserved rate.
  /// - Parameter rateIndex: the index of the rate in the table of ISO/IEC 14496-3 §1.6.3.4.
  public init?(objectType: UInt8, rateIndex: Int, channelConfiguration: UInt8) {
    guard Self.rates.indices.contains(rateIndex) else { return nil }
    self.objectType = objectType
    sampleRate = Self.rates[rateIndex]
    self.channelConfiguration = channelConfiguration
  }

  /// The index of the rate in the table of ISO/IEC 14496-3 §1.6.3.4; nil for a rate without one.
  public var rateIndex: Int? { Self.rates.firstIndex(of: sampleRate) }

  /// The number of channels, if the configuration has it.
  public var channels: Int? {
    switch channelConfiguration {
    case 1...6: Int(channelConfiguration)
    case 7: 8
    default: nil
    }
  }

  /// Parses a record. Returns nil if it is truncated or has a reserved rate.
  public init?(parsing record: UnsafeRawBufferPointer) {
    var bits = BitReader(record)
    guard var objectType = bits.read(5) else { return nil }
    if objectType == 31 {
      guard let more = bits.read(6) else { return nil }
      objectType = 32 + more
    }
    guard let index = bits.read(4) else { return nil }
    if index == 15 {
      guard let rate = bits.read(24) else { return nil }
      sampleRate = Int(rate)
    } else {
      guard Int(index) < Self.rates.count else { return nil }
      sampleRate = Self.rates[Int(index)]
    }
    guard let channels = bits.read(4), objectType > 0, sampleRate > 0 else { return nil }
    self.objectType = UInt8(objectType)
    channelConfiguration = UInt8(channels)
  }

  /// The encoded record: 2 bytes for standard rates, 5 for others. The object type must be below 31.
  public var encoded: [UInt8] {
    var value = UInt64(objectType & 0x1f)
    var bits = 5
    func add(_ field: Int, _ count: Int) {
      value = value << UInt64(count) | UInt64(truncatingIfNeeded: field) & (1 << UInt64(count) - 1)
      bits += count
    }
    if let index = Self.rates.firstIndex(of: sampleRate) {
      add(index, 4)
    } else {
      add(15, 4)
      add(sampleRate, 24)
    }
    add(Int(channelConfiguration), 4)
    // Frames of 1024 samples, no core coder, no extension; padded to a whole byte.
    add(0, 3 + (8 - (bits + 3) % 8) % 8)
    return (0..<(bits / 8)).map { UInt8(truncatingIfNeeded: value >> UInt64(bits - 8 - 8 * $0)) }
  }

  /// The sequence header's message payload: the tag's header and the record.
  public var sequenceHeader: [UInt8] { AudioTag.aacHeader(.sequenceStart) + encoded }

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
  ]
}
