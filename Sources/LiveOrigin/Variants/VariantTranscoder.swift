import Codecs
import RTMP
import RTP

/// Makes a variant of a stream: its pictures in another size and at fewer a second, whole, between black bars where the
/// proportions differ; its sound as it is. Times stay those of the stream.
///
/// Has no clock and no thread; may take milliseconds for a picture. One owner at a time.
public final class VariantTranscoder {
  /// What happened so far.
  public struct Counters: Sendable, Hashable {
    public var decoded = 0
    public var encoded = 0
    /// Samples that could not be decoded, and pictures that could not be encoded.
    public var failed = 0
  }

  /// Milliseconds from key frame to key frame.
  public static let keyFrameInterval: Int64 = 2000

  public let variant: StreamVariant
  public private(set) var counters = Counters()
  private let encoder: H264Encoder
  private var decoder: ConfiguredVideoDecoder?
  private var configuration: FragmentedMP4.Track?
  private var thinning: FrameThinning
  private var awaitsKeyFrame = true
  private var lastKeyFrame: MediaTime?
  private var lastTime: MediaTime?
  private var lastHeader: [UInt8] = []
  /// Sound from before the first picture.
  private var held: [MediaMessage] = []
  private var soundWaits = true
  /// About 4 s; where no picture came for so long, none may come at all.
  private static let heldLimit = 200

  /// - Throws: ``CodecError`` where the encoder can't be opened.
  public init(_ variant: StreamVariant) throws(CodecError) {
    self.variant = variant
    thinning = FrameThinning(rate: variant.frameRate)
    // Key frames come by time: the stream may have fewer pictures a second than the variant is named for.
    encoder = try H264Encoder(
      VideoEncoderSettings(
        width: variant.width, height: variant.height, fps: variant.frameRate, bitrate: Self.bitrate(variant),
        keyFrameInterval: 0),
      profile: .main, speed: .superfast)
  }

  /// Bits a second for a size and rate: a tenth of a bit for each pixel, between what is of use and what lines carry.
  public static func bitrate(_ variant: StreamVariant) -> Int {
    min(max(variant.width * variant.height * variant.frameRate / 10, 100_000), 5_000_000)
  }

  /// Takes a message of the stream, and gives those of the variant that come of it.
  public func take(_ media: LiveMedia) -> [MediaMessage] {
    switch media.media.kind {
    case .audio: return sound(media.media)
    case .data: return [described(media.media)]
    case .video:
      let pictures = pictures(media)
      guard !pictures.isEmpty, soundWaits else { return pictures }
      soundWaits = false
      defer { held = [] }
      // The decoders' configurations, then the media.
      let headers = held.prefix { $0.payload.withUnsafeBytes { AudioTag(parsing: $0) }?.isSequenceHeader == true }
      return Array(pictures.prefix(1) + headers + pictures.dropFirst() + held.dropFirst(headers.count))
    }
  }

  /// Sound goes through. That of a stream with pictures waits for the first of them: players decide at the beginning which tracks
  /// there are.
  private func sound(_ message: MediaMessage) -> [MediaMessage] {
    guard soundWaits, configuration != nil else { return [message] }
    held.append(message)
    guard held.count >= Self.heldLimit else { return [] }
    soundWaits = false
    defer { held = [] }
    return held
  }

  private func described(_ message: MediaMessage) -> MediaMessage {
    guard var metadata = StreamMetadata(message) else { return message }
    metadata.width = variant.width
    metadata.height = variant.height
    metadata.frameRate = metadata.frameRate.map { min($0, Double(variant.frameRate)) } ?? Double(variant.frameRate)
    metadata.videoKilobits = Double(Self.bitrate(variant) / 1000)
    metadata.videoCodec = 7
    return metadata.message(timestamp: message.timestamp)
  }

  private func pictures(_ media: LiveMedia) -> [MediaMessage] {
    let payload = media.media.payload
    guard let tag = payload.withUnsafeBytes({ VideoTag(parsing: $0) }), tag.track.id == 0 else { return [] }
    if tag.isSequenceHeader {
      let track = FragmentedMP4.Track(tag, payload)
      guard track != configuration else { return [] }
      configuration = track
      decoder = track.flatMap { try? ConfiguredVideoDecoder($0.codec, configuration: $0.configuration) }
      awaitsKeyFrame = true
      return []
    }
    guard tag.packetType == .codedFrames || tag.packetType == .codedFramesX, let decoder else { return [] }
    if tag.isKeyFrame { awaitsKeyFrame = false }
    guard !awaitsKeyFrame else { return [] }
    do throws(CodecError) {
      let shown = media.time.advanced(milliseconds: Int64(tag.track.compositionTime))
      var messages: [MediaMessage] = []
      for picture in try decoder.decode(payload[tag.track.body], timestamp: shown) {
        counters.decoded &+= 1
        messages += try encode(picture)
      }
      return messages
    } catch {
      counters.failed &+= 1
      awaitsKeyFrame = true
      decoder.restart()
      return []
    }
  }

  private func encode(_ picture: VideoFrame) throws(CodecError) -> [MediaMessage] {
    let time = picture.timestamp
    // A stream's times do not go back by more than a decoder could have reordered.
    guard time > lastTime ?? MediaTime(microseconds: .min), thinning.keeps(time) else { return [] }
    lastTime = time
    let step = 500 / Int64(variant.frameRate)
    let isKeyFrame = lastKeyFrame.map { time.milliseconds(since: $0) >= Self.keyFrameInterval - step } ?? true
    let fitted = try picture.fitted(width: variant.width, height: variant.height)
    guard let encoded = try encoder.encode(fitted, forceKeyFrame: isKeyFrame) else { return [] }
    counters.encoded &+= 1
    if encoded.isKeyFrame { lastKeyFrame = time }
    let tag = VideoTag.avcHeader(.codedFrames, isKeyFrame: encoded.isKeyFrame)
    var unit = encoded.data.withUnsafeBytes { AVCAccessUnit.withLengths(annexB: $0, behind: tag) }
    let configuration = AVCConfiguration(
      sequenceParameters: unit.sequenceParameters, pictureParameters: unit.pictureParameters)
    if let configuration { unit.insert(configuration, behind: tag.count) }
    var messages = [MediaMessage(.video, at: time, payload: unit.data)]
    if let header = configuration?.sequenceHeader, header != lastHeader {
      lastHeader = header
      messages.insert(MediaMessage(.video, at: time, payload: header), at: 0)
    }
    return messages
  }
}
