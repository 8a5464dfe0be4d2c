import RoomRTMP
import RoomRTP
import RoomWebRTC

/// Converts H.264, as FLV carries it, to RTP payloads. Nothing is decoded, and parameter sets precede each key frame.
struct IngestVideo {
  /// The result of a message.
  enum Step {
    /// Nothing to send.
    case nothing
    /// The stream's format, before its first picture.
    case format(RTPCodec, width: Int?, height: Int?)
    /// The payloads of a picture, and its presentation time.
    case picture([[UInt8]], at: MediaTime)
  }

  private let packetizer = H264Packetizer()
  private var configuration: AVCConfiguration?
  private var codec: RTPCodec?
  private var last: (decoded: MediaTime, shown: MediaTime)?
  /// Messages that no decoder can read.
  private(set) var malformed = 0

  /// Converts a video message.
  /// - Parameter time: the message's time, which is the decoding time of the picture.
  mutating func take(_ payload: [UInt8], at time: MediaTime) throws(IngestError) -> Step {
    guard let tag = payload.withUnsafeBytes({ VideoTag(parsing: $0) }) else {
      malformed += 1
      return .nothing
    }
    if tag.frameType == .command || tag.packetType == .metadata || tag.packetType == .sequenceEnd { return .nothing }
    guard tag.track.codec.isAVC else { throw .videoCodec(Self.name(of: tag.track.codec)) }
    return tag.isSequenceHeader ? try begin(payload[tag.track.body]) : try picture(payload[tag.track.body], tag, at: time)
  }

  private mutating func begin(_ record: ArraySlice<UInt8>) throws(IngestError) -> Step {
    guard let configuration = record.withUnsafeBytes({ AVCConfiguration(parsing: $0) }),
      let parameters = configuration.sequenceParameters.first
    else { throw .malformedHeader("H.264") }
    let id = [configuration.profile, configuration.constraints, configuration.level].map(Self.hexadecimal).joined()
    let picture = SequenceParameters(parsing: parameters)
    guard let profile = H264Profile(profileLevelID: id), picture.map({ $0.chromaFormat == 1 && $0.lumaDepth == 8 }) ?? true
    else { throw .profile(id) }
    var codec = RTPCodec.h264(profile)
    codec.parameters["profile-level-id"] = id
    self.configuration = configuration
    if let old = self.codec {
      // A new size is fine; a new profile would need new subscriptions.
      guard old.matches(codec) else { throw .profileChanged }
      return .nothing
    }
    self.codec = codec
    return .format(codec, width: picture?.width, height: picture?.height)
  }

  private mutating func picture(_ body: ArraySlice<UInt8>, _ tag: VideoTag, at time: MediaTime) throws(IngestError) -> Step {
    guard let configuration else { return .nothing }
    let shown = time.advanced(milliseconds: Int64(tag.track.compositionTime))
    // Times that go back because the encoder's clock did are not reordering.
    if let last, shown < last.shown, time >= last.decoded { throw .reordered }
    last = (time, shown)
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

  private static func name(of codec: VideoTag.Codec) -> String {
    switch codec {
    case .avc: "H.264"
    case .other(2): "Sorenson H.263"
    case .other(4), .other(5): "VP6"
    case .other(12): "HEVC"
    case .other(let number): "FLV codec \(number)"
    case .fourCC(let code): Self.names[code] ?? "\(code)"
    }
  }

  private static let names: [FourCC: String] = [.hevc: "HEVC", .av1: "AV1", .vp9: "VP9", .vp8: "VP8", .vvc: "VVC"]
}
