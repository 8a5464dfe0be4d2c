import RoomRTMP
import RoomRTP

/// The kinds of media that a stream consists of.
public struct MediaKinds: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let audio = MediaKinds(rawValue: 1)
  public static let video = MediaKinds(rawValue: 2)

  init(_ kind: MediaMessage.Kind) {
    switch kind {
    case .audio: self = .audio
    case .video: self = .video
    case .data: self = []
    }
  }
}

/// The codecs of a stream.
public struct MediaCodecs: Sendable, Hashable {
  public var video: VideoTag.Codec?
  public var audio: AudioTag.Codec?

  /// Creates a value; nil for kinds that a stream does not have.
  public init(video: VideoTag.Codec? = nil, audio: AudioTag.Codec? = nil) {
    self.video = video
    self.audio = audio
  }

  /// The names of those that HLS neither carries nor converts.
  public var notInHLS: [String] {
    [video.flatMap { $0.isInHLS ? nil : $0.title }, audio.flatMap { $0.isInHLS ? nil : $0.title }].compactMap { $0 }
  }
}

/// Finds the kinds of media of a publish. Players that expect a kind which a stream does not have wait for it.
struct MediaKindsFinder: Sendable {
  /// The length of media in ms after which a kind that has not arrived is taken as missing.
  static let patience: Int64 = 500

  private(set) var seen: MediaKinds = []
  private(set) var codecs = MediaCodecs()
  /// The kinds that the publisher's metadata states; empty if it states none.
  private var stated: MediaKinds = []
  private var first: MediaTime?
  private var latest: MediaTime?

  /// Notes metadata.
  mutating func take(metadata media: MediaMessage) {
    guard let metadata = StreamMetadata(media) else { return }
    stated = []
    if metadata.audioCodec != nil { stated.insert(.audio) }
    if metadata.videoCodec != nil { stated.insert(.video) }
  }

  /// Notes a decoder configuration.
  mutating func take(configuration media: MediaMessage) {
    seen.formUnion(MediaKinds(media.kind))
    readCodec(of: media)
  }

  private mutating func readCodec(of media: MediaMessage) {
    media.payload.withUnsafeBytes { payload in
      switch media.kind {
      case .video: codecs.video = VideoTag(parsing: payload)?.track.codec ?? codecs.video
      case .audio: codecs.audio = AudioTag(parsing: payload)?.track.codec ?? codecs.audio
      case .data: break
      }
    }
  }

  /// Notes media at a time of the stream's timeline.
  mutating func take(_ media: MediaMessage, at time: MediaTime) {
    let kind = MediaKinds(media.kind)
    if !seen.isSuperset(of: kind) { readCodec(of: media) }
    seen.formUnion(kind)
    first = min(first ?? time, time)
    latest = max(latest ?? time, time)
  }

  /// The kinds; nil while they are unknown: until both, or those that the metadata states, or `patience` of media have arrived.
  var kinds: MediaKinds? {
    guard !seen.isEmpty, let first, let latest else { return nil }
    let isComplete = seen == [.audio, .video] || (!stated.isEmpty && seen.isSuperset(of: stated))
    return isComplete || latest.milliseconds(since: first) >= Self.patience ? seen : nil
  }
}
