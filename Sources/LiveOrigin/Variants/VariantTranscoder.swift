import RoomCodecs
import RoomRTMP
import RoomRTP

/// Transcodes a stream into a variant. Video is scaled to another size at a lower frame rate, uncropped, with black bars if the
/// aspect ratios differ. Audio and times are unchanged.
///
/// Has no clock or threads; a picture may take milliseconds. One owner at a time.
public final class VariantTranscoder {
  /// Counters since the start.
  public struct Counters: Sendable, Hashable {
    public var decoded = 0
    public var encoded = 0
    /// Samples that could not be decoded, and pictures that could not be encoded.
    public var failed = 0
  }

  /// The key frame interval in ms.
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
  /// Audio from before the first picture.
  private var held: [MediaMessage] = []
  private var soundWaits = true
  /// About 4 s. If no picture arrives for that long, there may be no video at all.
  private static let heldLimit = 200

  /// - Throws: ``CodecError`` if the encoder cannot be opened.
  public init(_ variant: StreamVariant) throws(CodecError) {
    self.variant = variant
    thinning = FrameThinning(rate: variant.frameRate)
    // Key frames are placed by time, because the source may have a lower frame rate than the variant's name states.
    encoder = try H264Encoder(
      VideoEncoderSettings(
        width: variant.width, height: variant.height, fps: variant.frameRate, bitrate: Self.bitrate(variant),
        keyFrameInterval: 0),
      profile: .main, speed: .superfast)
  }

  /// Returns the bitrate in bps for a size and frame rate: 0.1 bit per pixel, within useful and practical limits.
  public static func bitrate(_ variant: StreamVariant) -> Int {
    min(max(variant.width * variant.height * variant.frameRate / 10, 100_000), 5_000_000)
  }

  /// Returns the codec with its profile, Main, and a level that suffices for the size and frame rate (RFC 6381).
  public static func codecName(_ variant: StreamVariant) -> String {
    // Macroblocks per picture and second, H.264 table A-1.
    let blocks = (variant.width + 15) / 16 * ((variant.height + 15) / 16)
    let fits = blocks <= 3600 && blocks * variant.frameRate <= 108_000
    // The encoder writes 3.1 at least.
    let level = fits ? 31 : 40
    return "avc1.4d40" + String(level, radix: 16)
  }

  /// Accepts a message of the source. Returns the resulting messages of the variant.
  public func take(_ media: LiveMedia) -> [MediaMessage] {
    switch media.media.kind {
    case .audio: return sound(media.media)
    case .data: return [described(media.media)]
    case .video:
      let pictures = pictures(media)
      guard !pictures.isEmpty, soundWaits else { return pictures }
      soundWaits = false
      defer { held = [] }
      // Decoder configurations first, then media.
      let headers = held.prefix { $0.payload.withUnsafeBytes { AudioTag(parsing: $0) }?.isSequenceHeader == true }
      return Array(pictures.prefix(1) + headers + pictures.dropFirst() + held.dropFirst(headers.count))
    }
  }

  /// Passes audio through. If the stream has video, audio waits for the first picture, because players detect the tracks at the
  /// start.
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
    let track = FragmentedMP4.Track(tag, payload)
    if tag.isSequenceHeader || track != nil, track != configuration {
      configuration = track
      decoder = track.flatMap { try? ConfiguredVideoDecoder($0.codec, configuration: $0.configuration) }
      awaitsKeyFrame = true
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
    // A stream's times do not decrease by more than a decoder may reorder.
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
