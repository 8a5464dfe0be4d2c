import RTP

/// What an audio message begins with: the header of FLV 10.1 §E.4.2.1, or the enhanced one (Enhanced RTMP v2,
/// ExAudioTagHeader).
public struct AudioTag: Hashable, Sendable {
  /// What the body is.
  public enum PacketType: UInt8, Sendable {
    /// The decoder's configuration: AudioSpecificConfig, OpusHead.
    case sequenceStart = 0
    case codedFrames = 1
    case sequenceEnd = 2
    /// Which channel is which.
    case multichannelConfig = 4
  }

  /// A codec, told by number or by FourCC.
  public enum Codec: Hashable, Sendable {
    /// AAC with the old header, where its number is 10.
    case aac
    /// Another number of FLV 10.1: 2 for MP3, 11 for Speex.
    case other(UInt8)
    /// A codec of the enhanced header; AAC too may come with it.
    case fourCC(FourCC)

    /// Whether it is AAC, however told.
    public var isAAC: Bool { self == .aac || self == .fourCC(.aac) }
  }

  /// One track's part of the message.
  public struct Track: Hashable, Sendable {
    /// 0 but for further tracks.
    public var id: UInt8
    public var codec: Codec
    /// Where its bytes lie in the message's payload.
    public var body: Range<Int>
  }

  public var packetType: PacketType
  /// Whether the header is the enhanced one.
  public var isEnhanced: Bool
  /// Nanoseconds beyond the timestamp's milliseconds: 0 … 999,999.
  public var nanoseconds: UInt32
  /// How several tracks share the message; nil where they don't.
  public var multitrack: Multitrack?
  /// The first track, and most often the only one.
  public var track: Track
  /// The others.
  public var furtherTracks: [Track]

  /// Nil where the header is cut off or says what nobody defined.
  public init?(parsing payload: UnsafeRawBufferPointer) {
    var reader = ByteReader(payload)
    guard let first = reader.uint8() else { return nil }
    let format = first >> 4
    isEnhanced = format == 9
    nanoseconds = 0
    furtherTracks = []
    guard isEnhanced else {
      packetType = .codedFrames
      if format == 10 {
        guard let type = reader.uint8(), type <= 1, let packetType = PacketType(rawValue: type) else { return nil }
        self.packetType = packetType
      }
      let body = reader.position..<(reader.position + reader.rest.count)
      track = Track(id: 0, codec: format == 10 ? .aac : .other(format), body: body)
      return
    }
    guard let modified = EnhancedHeader.modifiers(&reader, packetType: first & 0x0f) else { return nil }
    nanoseconds = modified.nanoseconds
    guard let header = EnhancedHeader(&reader, packetType: modified.packetType, multitrackType: 5),
      let packetType = PacketType(rawValue: header.packetType)
    else { return nil }
    let tracks = header.parts.map { Track(id: $0.track, codec: .fourCC($0.codec), body: $0.body) }
    guard let track = tracks.first else { return nil }
    self.packetType = packetType
    multitrack = header.multitrack
    self.track = track
    furtherTracks = Array(tracks.dropFirst())
  }

  /// Whether it is the decoder's configuration.
  public var isSequenceHeader: Bool { packetType == .sequenceStart }

  // MARK: Writing

  /// The header of AAC in its old form, which everyone reads; the body follows it. Rate, size and channels are always told as
  /// 44.1 kHz, 16 bits and stereo: the sequence header has the truth (§E.4.2.1).
  public static func aacHeader(_ packetType: PacketType) -> [UInt8] {
    [0xaf, packetType == .sequenceStart ? 0 : 1]
  }

  /// The enhanced header of a message with one track; the body follows it.
  public static func enhancedHeader(_ codec: FourCC, _ packetType: PacketType, nanoseconds: UInt32 = 0) -> [UInt8] {
    var header: [UInt8] = []
    if nanoseconds > 0 {
      header += [0x97, 2]
      header.append24(nanoseconds)
      header.append(packetType.rawValue)
    } else {
      header.append(0x90 | packetType.rawValue)
    }
    header.append32(codec.rawValue)
    return header
  }
}
