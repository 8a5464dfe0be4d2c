public import RoomRTMP
import RoomRTP

/// Converts the frames of a transport stream to the messages of RTMP, with their sequence headers, so that the server treats
/// both protocols alike. The first messages wait until both kinds of the program have begun, a second of media in most cases at
/// most.
public struct StreamMessages: Sendable {
  private var codec: PictureCodec?
  private var pictures = PictureStream()
  private var hevc = HEVCPictures()
  private var format: SoundFormat?
  /// The beginning of the stream; nil once it is over.
  private var beginning: StreamBeginning? = StreamBeginning()

  /// Creates the converter before the first frame.
  public init() {}

  /// Converts the next frame.
  public mutating func messages(of frame: TransportStreamFrame) -> [MediaMessage] {
    switch frame {
    case .unsupported: return []
    case .program(let hasVideo, let hasAudio):
      beginning?.expect(hasVideo: hasVideo, hasAudio: hasAudio)
      return []
    case .picture(let unit, let codec, let decoding, let presentation, let isKeyFrame):
      if codec != self.codec { (self.codec, pictures, hevc) = (codec, PictureStream(), HEVCPictures()) }
      let composition = Int32(clamping: min(max(presentation.milliseconds - decoding.milliseconds, -8_000_000), 8_000_000))
      switch codec {
      case .h264:
        let payloads = pictures.payloads(of: unit, isKeyFrame: isKeyFrame, compositionTime: composition)
        return payloads.map { messages(.video, $0.sequenceHeader, $0.picture, at: decoding) } ?? []
      case .hevc:
        let payloads = hevc.payloads(of: unit, isKeyFrame: isKeyFrame, compositionTime: composition)
        return payloads.map { messages(.video, $0.sequenceHeader, $0.picture, at: decoding) } ?? []
      }
    case .sound(let sound, let format, let time):
      let header = format.sequenceHeader(after: self.format)
      self.format = format
      return messages(.audio, header, format.payload(of: sound), at: time)
    }
  }

  private mutating func messages(
    _ kind: MediaMessage.Kind, _ header: [UInt8]?, _ payload: [UInt8], at time: MediaTime
  ) -> [MediaMessage] {
    let header = header.map { MediaMessage(kind, at: time, payload: $0) }
    let message = MediaMessage(kind, at: time, payload: payload)
    guard beginning != nil else { return [header, message].compactMap { $0 } }
    guard let messages = beginning?.take(header, message, at: time) else { return [] }
    beginning = nil
    return messages
  }
}
