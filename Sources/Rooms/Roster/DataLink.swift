import RoomProtocol
import RoomSFU
import RoomWebRTC

/// How a room and a client exchange messages: over which channels, and in which form.
package struct DataLink: Sendable {
  package var channels: DataChannelPair
  package var format: any DataFormat

  package init(channels: DataChannelPair, format: any DataFormat) {
    self.channels = channels
    self.format = format
  }
}

/// The channels on which a client receives messages: by their labels both sides recognise them.
package struct DataChannelPair: Sendable, Hashable {
  /// For messages that arrive, in order.
  package var reliable: DataChannel
  /// For messages that are not repeated and may overtake each other.
  package var lossy: DataChannel

  package init(reliable: String, lossy: String) {
    self.reliable = DataChannel(label: reliable)
    self.lossy = DataChannel(label: lossy, isOrdered: false, reliability: .retransmissions(0))
  }

  var all: [DataChannel] { [reliable, lossy] }
}

/// The form of messages in one protocol.
package protocol DataFormat: Sendable {
  /// Two clients understand each other's messages without a change if their formats have one name.
  var name: String { get }

  /// Returns a message in this form; nil if it has none.
  func encode(_ content: DataContent, from sender: DataSender?) -> [UInt8]?
}

/// A message of an app, whatever the form in which it is sent.
package struct DataContent: Sendable, Hashable {
  package var topic: String
  package var payload: [UInt8]

  package init(topic: String, payload: [UInt8]) {
    self.topic = topic
    self.payload = payload
  }
}

/// Who sent a message.
package struct DataSender: Sendable, Hashable {
  package var user: UserID
  /// Milliseconds since 1970.
  package var joinedAt: Int64
  package var room: RoomName
}

/// The form of this server's own clients.
struct FrameFormat: DataFormat {
  static let link = DataLink(channels: DataChannelPair(reliable: "reliable", lossy: "lossy"), format: FrameFormat())

  let name = "frame"

  func encode(_ content: DataContent, from sender: DataSender?) -> [UInt8]? {
    DataFrame(
      DataFrame.Header(topic: content.topic.isEmpty ? nil : content.topic, from: sender?.user), payload: content.payload
    ).bytes
  }
}
