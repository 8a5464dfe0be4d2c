/// What an elementary stream carries, by its type (ISO/IEC 13818-1 table 2-34) and its descriptors.
enum StreamCodec: Equatable {
  case picture(PictureCodec)
  case sound(SoundFraming)
  /// A codec that is not accepted; with its name, for people.
  case unsupported(String, isVideo: Bool)
  /// Neither pictures nor sound, or unknown; with its name, for people.
  case data(String)

  init(_ stream: ProgramTables.Stream) {
    switch stream.type {
    case ProgramTables.h264: self = .picture(.h264)
    case 0x24: self = .picture(.hevc)
    case ProgramTables.adts: self = .sound(.adts)
    case 0x11: self = .sound(.loas)
    case 0x03, 0x04: self = .sound(.mpegAudio)
    // E-AC-3 has its own type, but each frame states which of the two it is.
    case 0x81, 0x87: self = .sound(.ac3)
    case 0x06: self = Self.privateData(Descriptors(stream.descriptors))
    default:
      if let (name, isVideo) = Self.others[stream.type] {
        self = .unsupported(name, isVideo: isVideo)
      } else {
        self = .data("a stream of type 0x\(String(stream.type, radix: 16))")
      }
    }
  }

  private static let others: [UInt8: (String, Bool)] = [
    0x01: ("MPEG-1 video", true), 0x02: ("MPEG-2 video", true), 0x10: ("MPEG-4 part 2", true), 0x1f: ("SVC", true),
    0x20: ("MVC", true), 0x21: ("JPEG 2000", true), 0x25: ("HEVC in temporal sub-layers", true), 0x32: ("JPEG XS", true),
    0x33: ("VVC", true), 0x35: ("EVC", true), 0x42: ("AVS", true), 0xd1: ("Dirac", true), 0xd2: ("AVS2", true),
    0xd4: ("AVS3", true), 0xea: ("VC-1", true), 0x1c: ("MPEG-4 audio without a transport", false),
    0x2d: ("MPEG-H audio", false),
    0x2e: ("MPEG-H audio", false), 0x80: ("LPCM", false), 0x82: ("DTS", false), 0x83: ("TrueHD", false),
    0x85: ("DTS-HD", false),
    0x8a: ("DTS", false),
  ]

  /// Private data in PES packets states its codec by descriptors: registrations (§2.6.8), and those of ETSI EN 300 468.
  private static func privateData(_ descriptors: Descriptors) -> StreamCodec {
    switch descriptors.registration {
    case "Opus": return opus(descriptors)
    case "AC-3", "EAC3": return .sound(.ac3)
    case "AV01": return .unsupported("AV1", isVideo: true)
    case "BSSD": return .unsupported("PCM of SMPTE 302M", isVideo: false)
    case "DTS1", "DTS2", "DTS3": return .unsupported("DTS", isVideo: false)
    case "AC-4": return .unsupported("AC-4", isVideo: false)
    default: break
    }
    if descriptors[0x6a] != nil || descriptors[0x7a] != nil { return .sound(.ac3) }
    if descriptors[0x7b] != nil { return .unsupported("DTS", isVideo: false) }
    switch descriptors[0x7f]?.first {
    case 0x15: return .unsupported("AC-4", isVideo: false)
    case 0x0e: return .unsupported("DTS-HD", isVideo: false)
    default: break
    }
    if descriptors[0x56] != nil { return .data("teletext") }
    if descriptors[0x59] != nil { return .data("subtitles") }
    let name = descriptors.registration.map { "with the registration \($0)" } ?? "without a descriptor that names its codec"
    return .data("private data (stream type 0x06) \(name)")
  }

  private static func opus(_ descriptors: Descriptors) -> StreamCodec {
    // The extension descriptor 0x7f with the tag 0x80, and channel_config_code.
    guard let body = descriptors[0x7f], body.first == 0x80 else { return .sound(.opus(.stereo)) }
    guard let code = body.dropFirst().first else { return .unsupported("Opus without its channels", isVideo: false) }
    guard let channels = OpusChannels(code: code) else {
      return .unsupported("Opus with the channel configuration 0x\(String(code, radix: 16))", isVideo: false)
    }
    return .sound(.opus(channels))
  }
}

/// The descriptors of a stream, ISO/IEC 13818-1 §2.6: the first of each tag.
private struct Descriptors {
  private var bodies: [UInt8: ArraySlice<UInt8>] = [:]

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let tag = rest.popFirst(), let length = rest.popFirst(), rest.count >= Int(length) {
      if bodies[tag] == nil { bodies[tag] = rest.prefix(Int(length)) }
      rest = rest.dropFirst(Int(length))
    }
  }

  subscript(tag: UInt8) -> ArraySlice<UInt8>? { bodies[tag] }

  /// The format identifier of the registration descriptor, if it is printable.
  var registration: String? {
    guard let body = bodies[0x05]?.prefix(4), body.count == 4, body.allSatisfy({ (0x20...0x7e).contains($0) }) else {
      return nil
    }
    return String(decoding: body, as: UTF8.self)
  }
}
