public import RoomRTMP

/// The newest headers of a pushed stream: what a receiver needs before the first frame.
public struct PushHeaders: Sendable {
  private var metadata: MediaMessage?
  private var video: MediaMessage?
  private var audio: MediaMessage?

  /// Creates the headers of a stream that has not begun.
  public init() {}

  /// The headers in the order in which they are sent.
  public var messages: [MediaMessage] { [metadata, video, audio].compactMap(\.self) }

  /// Keeps the message if it is a header.
  public mutating func remember(_ message: MediaMessage) {
    switch message.kind {
    case .data: metadata = message
    case .audio: if message.isSequenceHeader { audio = message }
    case .video: if message.isSequenceHeader { video = message }
    }
  }
}
