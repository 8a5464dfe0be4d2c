public import RoomCodecs
public import RoomRTMP

extension SoundCodec {
  /// The codec of an FLV stream's sound, from a message that states all its decoder needs: a sequence header of AAC and FLAC, any
  /// message of other codecs. Returns nil for other messages, for Opus, and for codecs without a decoder.
  public init?(_ tag: AudioTag, _ payload: [UInt8]) {
    let configuration = Array(payload[tag.track.body])
    switch tag.track.codec {
    case .aac, .fourCC(.aac):
      guard tag.isSequenceHeader else { return nil }
      self = .aac(configuration: configuration)
    case .fourCC(.flac):
      guard tag.isSequenceHeader else { return nil }
      self = .flac(configuration: configuration)
    case .fourCC(.mp3), .other(2), .other(14): self = .mp3
    case .fourCC(.ac3): self = .ac3
    case .fourCC(.eac3): self = .eac3
    case .fourCC: return nil
    case .other(let number):
      // FLV 10.1 §E.4.2.1: the rate, the size of a sample, and the number of channels.
      guard let flags = payload.first else { return nil }
      let rate = [5_512, 11_025, 22_050, 44_100][Int(flags >> 2 & 3)]
      let channels = flags & 1 == 0 ? 1 : 2
      switch number {
      case 0 where flags & 2 != 0, 3 where flags & 2 != 0: self = .pcm(AudioFormat(sampleRate: rate, channels: channels))
      case 4: self = .nellymoser(sampleRate: 16_000)
      case 5: self = .nellymoser(sampleRate: 8_000)
      case 6: self = .nellymoser(sampleRate: rate)
      case 7: self = .g711A(channels: channels)
      case 8: self = .g711U(channels: channels)
      case 11: self = .speex
      default: return nil
      }
    }
  }
}

extension AudioTag.Codec {
  /// Whether HLS carries the codec, or AAC made of it.
  var isInHLS: Bool {
    switch self {
    case .aac, .fourCC(.aac), .fourCC(.opus), .fourCC(.flac), .fourCC(.ac3), .fourCC(.eac3), .fourCC(.mp3): true
    case .other(let number): [0, 2, 3, 4, 5, 6, 7, 8, 11, 14].contains(number)
    case .fourCC: false
    }
  }

  /// The name of the codec, for people.
  public var title: String {
    switch self {
    case .aac, .fourCC(.aac): "AAC"
    case .fourCC(.opus): "Opus"
    case .fourCC(.flac): "FLAC"
    case .fourCC(.ac3): "AC-3"
    case .fourCC(.eac3): "E-AC-3"
    case .other(2), .other(14), .fourCC(.mp3): "MP3"
    case .other(0), .other(3): "PCM"
    case .other(1): "ADPCM"
    case .other(4), .other(5), .other(6): "Nellymoser"
    case .other(7), .other(8): "G.711"
    case .other(11): "Speex"
    case .other(let number): "FLV codec \(number)"
    case .fourCC(let code): "\(code)"
    }
  }
}
