import RoomCodecs
import RoomLiveOrigin
import RoomRTMP
import RoomRTP
import RoomRelay
import RoomWebRTC

/// Converts video, as FLV carries it, to what browsers decode: H.264 without B-frames passes as RTP payloads, with its parameter sets
/// before each key frame. Any other video must be transcoded. A stream may begin to need that while it is live.
struct IngestVideo {
  /// The result of a message.
  enum Step {
    /// Nothing to send.
    case nothing
    /// The stream's format, before its first picture.
    case format(RTPCodec, width: Int?, height: Int?)
    /// The payloads of a picture, and its presentation time.
    case picture([[UInt8]], at: MediaTime)
    /// Access units to transcode.
    case transcode([VideoTranscoder.Sample])
  }

  /// Why a stream is transcoded.
  enum Reason: Sendable, Hashable, CustomStringConvertible {
    case codec(String)
    case reordering
    case profile(String)

    var description: String {
      switch self {
      case .codec(let name): name
      case .reordering: "H.264 with B-frames"
      case .profile(let id): "H.264 profile \(id)"
      }
    }
  }

  private enum Mode {
    case passing
    /// `sent` is the last picture that passed before.
    case transcoding(Reason, sent: MediaTime?)
  }

  /// Access units that are kept for the case that the stream reorders; about ten seconds.
  private static let longestGroup = 300
  private static let largestGroup = 8 << 20

  private let packetizer = H264Packetizer()
  private var mode = Mode.passing
  private var configuration: AVCConfiguration?
  private var codec: RTPCodec?
  private var last: (decoded: MediaTime, shown: MediaTime)?
  /// The format of the access units that are transcoded, and whether the transcoder has it.
  private var format: FragmentedMP4.Track?
  private var isFormatNew = false
  /// The access units since the last key frame, if the stream may reorder: a decoder begins with them.
  private var group: [VideoTranscoder.Sample] = []
  private var groupBytes = 0
  /// Messages that no decoder can read.
  private(set) var malformed = 0

  /// Why the stream is transcoded, and the time of the last picture that passed; nil if pictures pass.
  var transcoding: (reason: Reason, sent: MediaTime?)? {
    if case .transcoding(let reason, let sent) = mode { (reason, sent) } else { nil }
  }

  /// The profile of the track that pictures passed to; nil if none did.
  var profile: H264Profile? { codec?.parameters["profile-level-id"].flatMap { H264Profile(profileLevelID: $0) } }

  /// Converts a video message.
  /// - Parameter time: the message's time, which is the decoding time of the picture.
  /// - Throws: ``IngestError/videoCodec(_:)`` for a codec without a decoder.
  mutating func take(_ payload: [UInt8], at time: MediaTime) throws(IngestError) -> Step {
    guard let tag = payload.withUnsafeBytes({ VideoTag(parsing: $0) }) else {
      malformed += 1
      return .nothing
    }
    if tag.frameType == .command || tag.packetType == .metadata || tag.packetType == .sequenceEnd { return .nothing }
    let track = FragmentedMP4.Track(tag, payload)
    if let track, track != format {
      format = track
      isFormatNew = true
    }
    if !tag.track.codec.isAVC {
      guard let statesFormat = Self.statesFormat(tag.track.codec) else { throw .videoCodec(tag.track.codec.title) }
      if tag.isSequenceHeader, statesFormat, track == nil { throw .malformedHeader(tag.track.codec.title) }
      if transcoding == nil { mode = .transcoding(.codec(tag.track.codec.title), sent: last?.shown) }
    }
    if tag.isSequenceHeader { return tag.track.codec.isAVC ? try begin(payload[tag.track.body]) : .nothing }
    let shown = time.advanced(milliseconds: Int64(tag.track.compositionTime))
    func sample() -> VideoTranscoder.Sample {
      .init(format: nil, data: Array(payload[tag.track.body]), time: shown, isKeyFrame: tag.isKeyFrame)
    }
    if transcoding != nil { return transcode([sample()]) }
    remember(sample(), isKeyFrame: tag.isKeyFrame, isReordering: tag.track.compositionTime != 0)
    // Times that go back because the encoder's clock did are not reordering.
    if let last, shown < last.shown, time >= last.decoded {
      mode = .transcoding(.reordering, sent: last.shown)
      isFormatNew = true
      defer { group = [] }
      return transcode(group)
    }
    last = (time, shown)
    return picture(payload[tag.track.body], at: shown)
  }

  private mutating func begin(_ record: ArraySlice<UInt8>) throws(IngestError) -> Step {
    guard let configuration = record.withUnsafeBytes({ AVCConfiguration(parsing: $0) }),
      let parameters = configuration.sequenceParameters.first
    else { throw .malformedHeader("H.264") }
    if transcoding != nil { return .nothing }
    let id = [configuration.profile, configuration.constraints, configuration.level].map(Self.hexadecimal).joined()
    let picture = SequenceParameters(parsing: parameters)
    guard let profile = H264Profile(profileLevelID: id), picture.map({ $0.chromaFormat == 1 && $0.lumaDepth == 8 }) ?? true,
      // A new size is fine; a new profile would need new subscriptions.
      codec.map({ $0.matches(Self.codec(profile, id)) }) ?? true
    else {
      guard format != nil else { throw .profile(id) }
      mode = .transcoding(.profile(id), sent: last?.shown)
      return .nothing
    }
    self.configuration = configuration
    guard codec == nil else { return .nothing }
    let codec = Self.codec(profile, id)
    self.codec = codec
    return .format(codec, width: picture?.width, height: picture?.height)
  }

  private static func codec(_ profile: H264Profile, _ id: String) -> RTPCodec {
    var codec = RTPCodec.h264(profile)
    codec.parameters["profile-level-id"] = id
    return codec
  }

  /// Keeps an access unit if the stream may reorder. Most streams don't, and none of their pictures is copied.
  private mutating func remember(
    _ sample: @autoclosure () -> VideoTranscoder.Sample, isKeyFrame: Bool, isReordering: Bool
  ) {
    if isKeyFrame {
      group = []
      groupBytes = 0
      guard isReordering else { return }
    } else if group.isEmpty {
      return
    }
    let sample = sample()
    groupBytes += sample.data.count
    if group.count < Self.longestGroup, groupBytes <= Self.largestGroup { group.append(sample) } else { group = [] }
  }

  private mutating func transcode(_ samples: [VideoTranscoder.Sample]) -> Step {
    guard var first = samples.first else { return .nothing }
    if isFormatNew {
      isFormatNew = false
      first.format = format
    }
    return .transcode([first] + samples.dropFirst())
  }

  private mutating func picture(_ body: ArraySlice<UInt8>, at shown: MediaTime) -> Step {
    guard let configuration else { return .nothing }
    guard let plain = body.withUnsafeBytes({ AVCAccessUnit.annexB(withLengths: $0, lengthSize: configuration.lengthSize) })
    else {
      malformed += 1
      return .nothing
    }
    var unit = plain
    if AnnexB.isKeyFrame(plain) {
      let sets = configuration.sequenceParameters + configuration.pictureParameters
      unit = sets.flatMap { [0, 0, 0, 1] + $0 } + plain
    }
    guard let payloads = try? packetizer.packetize(unit), !payloads.isEmpty else { return .nothing }
    return .picture(payloads, at: shown)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }

  /// Whether the sequence header of a codec states its format, and not its key frames; nil for a codec without a decoder.
  private static func statesFormat(_ codec: VideoTag.Codec) -> Bool? {
    switch codec {
    case .fourCC(.hevc), .other(12), .fourCC(.av1): true
    case .fourCC(.vp8), .fourCC(.vp9): false
    default: nil
    }
  }
}
