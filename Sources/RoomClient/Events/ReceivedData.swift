import RoomProtocol
import RoomWebRTC

/// A message that arrived over a data channel.
public struct ReceivedData: Sendable, Hashable {
  /// The labels of the channels.
  static let (reliable, lossy) = ("reliable", "lossy")

  /// The sender; nil for the app's own server.
  public var userId: UserID?
  /// What it is about; empty if its sender named nothing.
  public var topic: String
  /// The bytes of the app.
  public var payload: [UInt8]
  /// Whether it was sent reliably.
  public var isReliable: Bool

  /// Creates a message.
  public init(userId: UserID? = nil, topic: String = "", payload: [UInt8], isReliable: Bool = true) {
    self.userId = userId
    self.topic = topic
    self.payload = payload
    self.isReliable = isReliable
  }

  init?(_ message: DataChannelMessage, label: String) {
    guard !message.isText, let frame = DataFrame(message.payload) else { return nil }
    userId = frame.header.from
    topic = frame.header.topic ?? ""
    payload = frame.payload
    isReliable = label == Self.reliable
  }
}
