public import RoomRTMP
import RoomRTP

/// Converts the frames of a transport stream to the messages of RTMP, with their sequence headers, so that the server treats
/// both protocols alike. The first messages wait until both kinds of the program have begun, a second of media in most cases at
/// most.
public struct StreamMessages: Sendable {
  private var pictures = PictureStream()
  private var configuration: AudioSpecificConfig?
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
    case .picture(let unit, let decoding, let presentation, let isKeyFrame):
      let composition = Int32(clamping: min(max(presentation.milliseconds - decoding.milliseconds, -8_000_000), 8_000_000))
      guard let payloads = pictures.payloads(of: unit, isKeyFrame: isKeyFrame, compositionTime: composition) else { return [] }
      return messages(.video, payloads.sequenceHeader, payloads.picture, at: decoding)
    case .sound(let sound, let time, let configuration):
      let header = configuration == self.configuration ? nil : configuration.sequenceHeader
      self.configuration = configuration
      return messages(.audio, header, AudioTag.aacHeader(.codedFrames) + sound, at: time)
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
