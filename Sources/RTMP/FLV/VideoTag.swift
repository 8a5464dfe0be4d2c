import RoomRTP

/// The header of a video message: that of FLV 10.1 §E.4.3.1, or the enhanced one (Enhanced RTMP v2, ExVideoTagHeader).
public struct VideoTag: Hashable, Sendable {
  /// The kind of picture.
  public enum FrameType: UInt8, Sendable {
    case key = 1
    case inter = 2
    /// A picture that no other refers to; H.263 only.
    case disposable = 3
    case generatedKey = 4
    /// Not a picture but a command to the player.
    case command = 5
  }

  /// The type of the body.
  public enum PacketType: UInt8, Sendable {
    /// The decoder's configuration: AVCDecoderConfigurationRecord or its equivalent.
    case sequenceStart = 0
    case codedFrames = 1
    case sequenceEnd = 2
    /// Coded frames without a composition time, which is 0.
    case codedFramesX = 3
    /// AMF values about the pictures: HDR.
    case metadata = 4
    case mpeg2TSSequenceStart = 5
  }

  /// A codec, identified by number or by FourCC.
  public enum Codec: Hashable, Sendable {
    /// H.264 with the old header: number 7.
    case avc
    /// Another number of FLV 10.1: 2 for H.263, 4 for VP6. Some senders use 12 for H.265.
    case other(UInt8)
    /// A codec of the enhanced header, possibly H.264.
    case fourCC(FourCC)

    /// Whether the codec is H.264, in either form.
    public var isAVC: Bool { self == .avc || self == .fourCC(.avc) }
  }

  /// One track's part of the message.
  public struct Track: Hashable, Sendable {
    /// 0 except for further tracks.
    public var id: UInt8
    public var codec: Codec
    /// Presentation time minus decoding time, in milliseconds: −8,388,608…8,388,607.
    public var compositionTime: Int32
    /// The range of its bytes in the message's payload.
    public var body: Range<Int>
  }

  public var frameType: FrameType
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
    guard let first = reader.uint8(), let frameType = FrameType(rawValue: first >> 4 & 0x07) else { return nil }
    self.frameType = frameType
    isEnhanced = first & 0x80 != 0
    nanoseconds = 0
    furtherTracks = []
    guard isEnhanced else {
      guard let (packetType, track) = Self.plain(&reader, codec: first & 0x0f, frameType: frameType) else { return nil }
      self.packetType = packetType
      self.track = track
      return
    }
    guard let modified = EnhancedHeader.modifiers(&reader, packetType: first & 0x0f) else { return nil }
    nanoseconds = modified.nanoseconds
    if frameType == .command, modified.packetType != PacketType.metadata.rawValue {
      // Only a command's number follows.
      packetType = .sequenceEnd
      track = Track(id: 0, codec: .other(0), compositionTime: 0, body: payload.count..<payload.count)
      return
    }
    guard let header = EnhancedHeader(&reader, packetType: modified.packetType, multitrackType: 6),
      let packetType = PacketType(rawValue: header.packetType)
    else { return nil }
    var tracks: [Track] = []
    for part in header.parts {
      guard let track = Self.track(part, packetType: packetType, payload: payload) else { return nil }
      tracks.append(track)
    }
    guard let track = tracks.first else { return nil }
    self.packetType = packetType
    multitrack = header.multitrack
    self.track = track
    furtherTracks = Array(tracks.dropFirst())
  }

  private static func plain(_ reader: inout ByteReader, codec: UInt8, frameType: FrameType) -> (PacketType, Track)? {
    guard codec == 7 || codec == 12, frameType != .command else {
      // Without a packet type, the rest is coded data.
      let body = reader.position..<(reader.position + reader.rest.count)
      return (.codedFrames, Track(id: 0, codec: codec == 7 ? .avc : .other(codec), compositionTime: 0, body: body))
    }
    guard let type = reader.uint8(), type <= 2, let packetType = PacketType(rawValue: type), let time = reader.int24() else {
      return nil
    }
    let body = reader.position..<(reader.position + reader.rest.count)
    let compositionTime = packetType == .codedFrames ? time : 0
    return (packetType, Track(id: 0, codec: codec == 7 ? .avc : .other(codec), compositionTime: compositionTime, body: body))
  }

  /// Reads the composition time from a body, if the codec has one (ExVideoTagBody).
  private static func track(_ part: EnhancedHeader.Part, packetType: PacketType, payload: UnsafeRawBufferPointer) -> Track? {
    var track = Track(id: part.track, codec: .fourCC(part.codec), compositionTime: 0, body: part.body)
    guard packetType == .codedFrames, hasCompositionTime(part.codec) else { return track }
    var reader = ByteReader(payload.part(part.body.lowerBound, part.body.count))
    guard let time = reader.int24() else { return nil }
    track.compositionTime = time
    track.body = (part.body.lowerBound + 3)..<part.body.upperBound
    return track
  }

  private static func hasCompositionTime(_ codec: FourCC) -> Bool { codec == .avc || codec == .hevc || codec == .vvc }

  /// Whether a decoder can start here: a key frame with a picture.
  public var isKeyFrame: Bool {
    frameType == .key && (packetType == .codedFrames || packetType == .codedFramesX)
  }

  /// Whether the body is the decoder's configuration.
  public var isSequenceHeader: Bool { packetType == .sequenceStart || packetType == .mpeg2TSSequenceStart }

  // MARK: Writing

  /// Returns the old header for H.264, which every peer reads; the body follows it. The composition time is in milliseconds,
  /// and 0 for anything but a picture.
  public static func avcHeader(_ packetType: PacketType, isKeyFrame: Bool, compositionTime: Int32 = 0) -> [UInt8] {
    var header: [UInt8] = [(isKeyFrame ? 0x10 : 0x20) | 7, packetType == .codedFramesX ? 1 : min(packetType.rawValue, 2)]
    header.append24(UInt32(bitPattern: compositionTime))
    return header
  }

  /// Returns the enhanced header of a message with one track; the body follows it.
  public static func enhancedHeader(
    _ codec: FourCC, _ packetType: PacketType, isKeyFrame: Bool, compositionTime: Int32 = 0, nanoseconds: UInt32 = 0
  ) -> [UInt8] {
    var header: [UInt8] = []
    let first: UInt8 = 0x80 | (isKeyFrame ? 0x10 : 0x20)
    if nanoseconds > 0 {
      header += [first | 7, 2]
      header.append24(nanoseconds)
      header.append(packetType.rawValue)
    } else {
      header.append(first | packetType.rawValue)
    }
    header.append32(codec.rawValue)
    if packetType == .codedFrames, hasCompositionTime(codec) { header.append24(UInt32(bitPattern: compositionTime)) }
    return header
  }
}
