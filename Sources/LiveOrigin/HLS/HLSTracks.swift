import Codecs
import RTMP
import RTP

/// A stream's picture and sound as MP4 has them, from the headers of FLV messages.
struct HLSTracks: Hashable {
  var video: FragmentedMP4.Track?
  var audio: FragmentedMP4.Track?

  var isEmpty: Bool { video == nil && audio == nil }
  /// In the order in which the muxer numbers them.
  var all: [FragmentedMP4.Track] { [video, audio].compactMap { $0 } }
  var videoIndex: Int? { video == nil ? nil : 0 }
  var audioIndex: Int? { audio == nil ? nil : video == nil ? 0 : 1 }

  /// Nil where the codec has no place in HLS, or its configuration tells no size.
  static func video(_ tag: VideoTag, _ payload: [UInt8]) -> FragmentedMP4.Track? {
    let configuration = Array(payload[tag.track.body])
    let codec: FragmentedMP4.Codec
    switch tag.track.codec {
    case .avc, .fourCC(.avc): codec = .h264
    case .fourCC(.hevc), .other(12): codec = .hevc
    case .fourCC(.av1): codec = .av1
    default: return nil
    }
    if codec == .h264 {
      let sets = configuration.withUnsafeBytes { AVCConfiguration(parsing: $0)?.sequenceParameters }
      guard let set = sets?.first, let picture = SequenceParameters(parsing: set) else { return nil }
      return .video(codec, configuration: configuration, width: picture.width, height: picture.height)
    }
    guard let size = FragmentedMP4.pictureSize(codec, configuration: configuration) else { return nil }
    return .video(codec, configuration: configuration, width: size.width, height: size.height)
  }

  /// Likewise.
  static func audio(_ tag: AudioTag, _ payload: [UInt8]) -> FragmentedMP4.Track? {
    let configuration = Array(payload[tag.track.body])
    if tag.track.codec.isAAC {
      guard let config = configuration.withUnsafeBytes({ AudioSpecificConfig(parsing: $0) }), config.sampleRate <= 96_000
      else { return nil }
      return .audio(.aac, configuration: configuration, sampleRate: config.sampleRate, channels: config.channels ?? 2)
    }
    // OpusHead: a name of 8 bytes, a version, and the number of channels (RFC 7845 §5.1).
    guard tag.track.codec == .fourCC(.opus), configuration.count >= 19, configuration.starts(with: Array("OpusHead".utf8)),
      (1...8).contains(configuration[9])
    else { return nil }
    return .audio(.opus, configuration: configuration, sampleRate: 48_000, channels: Int(configuration[9]))
  }
}

/// Gives sound the times of its samples: FLV has whole milliseconds, of which frames would overlap and leave holes.
struct SoundClock {
  /// Milliseconds by which the messages' times may differ from the count of samples before they are right and it is wrong.
  private static let tolerance: Int64 = 35

  private let rate: Int64
  private var next: Int64?

  init(rate: Int) { self.rate = Int64(max(1, rate)) }

  /// When the next sample is due, in milliseconds.
  var due: Int64? { next.map { $0 * 1000 / rate } }

  /// Where a frame of so many samples begins, in samples. Never before the end of the one before.
  mutating func place(_ time: Int64, samples: Int64) -> Int64 {
    let told = time * rate / 1000
    var start = next ?? told
    if abs(told - start) * 1000 > Self.tolerance * rate { start = max(told, start) }
    next = start + samples
    return start
  }
}
