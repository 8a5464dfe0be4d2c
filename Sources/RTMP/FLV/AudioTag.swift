import RoomRTP

/// The header of an audio message: that of FLV 10.1 §E.4.2.1, or the enhanced one (Enhanced RTMP v2, ExAudioTagHeader).
public struct AudioTag: Hashable, Sendable {
  /// The type of the body.
  public enum PacketType: UInt8, Sendable {
    /// The decoder's configuration: AudioSpecificConfig, OpusHead.
    case sequenceStart = 0
    case codedFrames = 1
    case sequenceEnd = 2
    /// The mapping of channels.
    case multichannelConfig = 4
  }

  /// A codec, identified by number or by FourCC.
  public enum Codec: Hashable, Sendable {
    /// AAC with the old header: number 10.
    case aac
    /// Another number of FLV 10.1: 2 for MP3, 11 for Speex.
    case other(UInt8)
    /// A codec of the enhanced header, possibly AAC.
    case fourCC(FourCC)

    /// Whether the codec is AAC, in either form.
    public var isAAC: Bool { self == .aac || self == .fourCC(.aac) }
  }

  /// One track's part of the message.
  public struct Track: Hashable, Sendable {
    /// 0 except for further tracks.
    public var id: UInt8
    public var codec: Codec
    /// The range of its bytes in the message's payload.
    public var body: Range<Int>
  }

  public var packetType: PacketType
  /// Whether the header is the enhanced one.
  public var isEnhanced: Bool
  /// Nanoseconds to add to the timestamp's milliseconds: 0…999,999.
  public var nanoseconds: UInt32
  /// How several tracks share the message; nil if it has only one.
  public var multitrack: Multitrack?
  /// The first track, usually the only one.
  public var track: Track
  /// The others.
  public var furtherTracks: [Track]

  /// Parses a header. Returns nil if it is truncated or has undefined values.
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

  /// Whether the body is the decoder's configuration.
  public var isSequenceHeader: Bool { packetType == .sequenceStart }

  // MARK: Writing

  /// Returns the old header for AAC, which every peer reads; the body follows it. The header always states 44.1 kHz, 16 bits
  /// and stereo. The sequence header has the real values (§E.4.2.1).
  public static func aacHeader(_ packetType: PacketType) -> [UInt8] {
    [0xaf, packetType == .sequenceStart ? 0 : 1]
  }

  /// Returns the enhanced header of a message with one track; the body follows it.
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
