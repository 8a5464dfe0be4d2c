import RoomRTMP
import RoomRTP

/// How sound is framed in an elementary stream.
enum SoundFraming: Equatable {
  case adts
  case loas
  case opus(OpusChannels)
  case mpegAudio
  /// AC-3 and E-AC-3, which each frame tells apart.
  case ac3
}

/// One unit of an elementary stream of sound: a header and its frames.
enum SoundUnit {
  /// The duration of each frame is in microseconds; nil if it is unknown.
  case frames([[UInt8]], SoundFormat?, lasting: Int64?)
  case malformed
  /// Sound that is not accepted; with its name, for people.
  case refused(String)
}

/// Finds the units of an elementary stream of sound, and reads them.
struct SoundParser {
  enum Extent: Equatable {
    /// The unit ends beyond the bytes, or its header does.
    case incomplete
    /// No unit begins here.
    case invalid
    /// The unit's length in bytes.
    case bytes(Int)
  }

  let framing: SoundFraming
  private var latm = LATMReader()
  /// The last header of ADTS and its format, of which the record is written once.
  private var last: (configuration: AudioSpecificConfig, format: SoundFormat)?
  private let head: SoundFormat?

  init(_ framing: SoundFraming) {
    self.framing = framing
    if case .opus(let channels) = framing { head = .opus(head: channels.head) } else { head = nil }
  }

  /// The first byte of each header.
  var firstByte: UInt8 {
    switch framing {
    case .adts, .mpegAudio: 0xff
    case .loas: 0x56
    case .opus: 0x7f
    case .ac3: 0x0b
    }
  }

  /// Measures the unit at the front of the bytes.
  func extent(_ bytes: ArraySlice<UInt8>) -> Extent {
    guard bytes.first == firstByte else { return bytes.isEmpty ? .incomplete : .invalid }
    switch framing {
    case .adts:
      guard bytes.count >= 7 else { return .incomplete }
      return Self.extent(ADTSHeader(bytes)?.frameLength, bytes)
    case .loas:
      guard bytes.count >= LATMReader.headerLength else { return .incomplete }
      return Self.extent(LATMReader.length(bytes), bytes)
    case .mpegAudio:
      guard bytes.count >= MPEGAudioHeader.length else { return .incomplete }
      return Self.extent(MPEGAudioHeader(bytes)?.frameLength, bytes)
    case .opus:
      switch OpusControlHeader.parse(bytes) {
      case .incomplete: return .incomplete
      case .invalid: return .invalid
      case .header(let header): return Self.extent(header.length + header.packetLength, bytes)
      }
    case .ac3: return Self.ac3Extent(bytes)
    }
  }

  private static func extent(_ length: Int?, _ bytes: ArraySlice<UInt8>) -> Extent {
    guard let length else { return .invalid }
    return length <= bytes.count ? .bytes(length) : .incomplete
  }

  /// Measures a syncframe with those that depend on it, §E.1.3.1.1: at most one for each number of a substream.
  private static func ac3Extent(_ bytes: ArraySlice<UInt8>) -> Extent {
    guard bytes.count >= AC3Header.length else { return .incomplete }
    guard let first = AC3Header(bytes) else { return .invalid }
    var length = first.frameLength
    for _ in 0..<8 where length < bytes.count && first.isEnhanced {
      let rest = bytes.dropFirst(length)
      guard rest.count >= AC3Header.length else { return .incomplete }
      guard let next = AC3Header(rest), next.isDependent else { break }
      length += next.frameLength
    }
    return extent(length, bytes)
  }

  /// Reads a unit that is complete.
  mutating func read(_ unit: ArraySlice<UInt8>) -> SoundUnit {
    switch framing {
    case .adts:
      guard let header = ADTSHeader(unit) else { return .malformed }
      guard header.blocks == 1 else { return .refused("AAC with several blocks in an ADTS frame") }
      if last?.configuration != header.configuration {
        last = (header.configuration, .aac(configuration: header.configuration.encoded))
      }
      return .frames(
        [Array(unit.dropFirst(header.length))], last?.format, lasting: Self.time(1024, header.configuration.sampleRate))
    case .loas:
      switch latm.read(unit.dropFirst(LATMReader.headerLength)) {
      case .frames(let frames):
        let record = latm.record
        return .frames(
          frames, record.map { .aac(configuration: $0.bytes) }, lasting: record.map { Self.time(1024, $0.sampleRate) })
      case .malformed: return .malformed
      case .refused(let name): return .refused(name)
      }
    case .mpegAudio:
      guard let header = MPEGAudioHeader(unit) else { return .malformed }
      guard header.layer > 1 else { return .refused("MPEG audio layer I") }
      return .frames(
        [Array(unit)], .mpegAudio(layer: header.layer, sampleRate: header.sampleRate, channels: header.channels),
        lasting: Self.time(header.samples, header.sampleRate))
    case .opus:
      guard case .header(let header) = OpusControlHeader.parse(unit) else { return .malformed }
      let packet = Array(unit.dropFirst(header.length))
      guard let opus = packet.withUnsafeBytes({ OpusPacket(parsing: $0) }) else { return .malformed }
      return .frames([packet], head, lasting: Self.time(opus.sampleCount, 48_000))
    case .ac3:
      guard let header = AC3Header(unit) else { return .malformed }
      // Further programs, and frames whose own first frame is missing, are left out.
      guard header.substream == 0, !header.isDependent else { return .frames([], nil, lasting: 0) }
      return .frames(
        [Array(unit)], header.isEnhanced ? .eac3 : .ac3, lasting: Self.time(header.samples, header.sampleRate))
    }
  }

  private static func time(_ samples: Int, _ rate: Int) -> Int64 { Int64(samples) * 1_000_000 / Int64(max(1, rate)) }
}
