public import RoomRTMP
import RoomRTP

/// Converts the frames of a transport stream to the messages of RTMP, with their sequence headers, so that the server treats
/// both protocols alike.
public struct StreamMessages: Sendable {
  private var pictures = PictureStream()
  private var configuration: AudioSpecificConfig?

  /// Creates the converter before the first frame.
  public init() {}

  /// Converts the next frame.
  public mutating func messages(of frame: TransportStreamFrame) -> [MediaMessage] {
    switch frame {
    case .unsupported: return []
    case .picture(let unit, let decoding, let presentation, let isKeyFrame):
      let composition = Int32(clamping: min(max(presentation.milliseconds - decoding.milliseconds, -8_000_000), 8_000_000))
      guard let payloads = pictures.payloads(of: unit, isKeyFrame: isKeyFrame, compositionTime: composition) else { return [] }
      return [payloads.sequenceHeader, payloads.picture].compactMap { $0 }
        .map { MediaMessage(.video, at: decoding, payload: $0) }
    case .sound(let sound, let time, let configuration):
      var messages: [MediaMessage] = []
      if configuration != self.configuration {
        self.configuration = configuration
        messages.append(MediaMessage(.audio, at: time, payload: configuration.sequenceHeader))
      }
      messages.append(MediaMessage(.audio, at: time, payload: AudioTag.aacHeader(.codedFrames) + sound))
      return messages
    }
  }
}
