import RoomLiveKitProtocol
import RoomProtocol
import RoomSFU
import RoomServer

/// The chat of LiveKit's components as messages of the room: a short text of the topic `lk.chat` becomes a message, and each
/// message of others becomes such a text. So all clients have the same texts in the same order.
///
/// Long, addressed, encrypted and compressed texts, edits and texts with attachments are passed on as other streams are.
struct LiveKitChat: Sendable {
  static let topic = "lk.chat"
  /// Bytes of a message's text.
  private static let maximumBytes = 4096
  /// Texts that are not complete, at most.
  private static let mostOpen = 8

  private struct Text: Sendable {
    var length: Int
    var bytes: [UInt8] = []
  }

  enum Taken: Sendable, Equatable {
    /// A complete text.
    case text(String)
    /// A part of one.
    case part
    /// Nothing of the chat: it is passed on.
    case other
  }

  /// By the ids of their streams.
  private var open: [String: Text] = [:]

  /// Takes a part of a stream that the client sends to everybody.
  mutating func take(_ value: LiveKit.DataPacket.Value) -> Taken {
    switch value {
    case .streamHeader(let header):
      guard Self.isMessage(header), let length = header.totalLength, open.count < Self.mostOpen else { return .other }
      open[header.streamID] = Text(length: Int(length))
      return .part
    case .streamChunk(let chunk):
      guard var text = open[chunk.streamID] else { return .other }
      // What is beyond the announced length is cut off.
      text.bytes += chunk.content.prefix(text.length - text.bytes.count)
      open[chunk.streamID] = text
      return .part
    case .streamTrailer(let trailer):
      guard let text = open.removeValue(forKey: trailer.streamID) else { return .other }
      // A sender that gives up says why.
      guard trailer.reason.isEmpty, text.bytes.count == text.length else { return .part }
      return .text(String(decoding: text.bytes, as: UTF8.self))
    default: return .other
    }
  }

  private static func isMessage(_ header: LiveKit.StreamHeader) -> Bool {
    guard header.topic == topic, case .textHeader(let text) = header.contentHeader, text.operationType == .create,
      text.attachedStreamIDs.isEmpty, text.replyToStreamID.isEmpty, header.attributes.isEmpty, header.inlineContent == nil,
      header.compression == .none, header.encryptionType == .none, let length = header.totalLength
    else { return false }
    return (1...UInt64(maximumBytes)).contains(length)
  }

  /// The packets of a message of another participant; empty for one that is no text to all.
  /// - Parameters:
  ///   - identity: that of the sender; empty for the app's server.
  ///   - sid: that of the sender.
  static func packets(of message: RoomMessage, from identity: String, sid: String) -> [DataMessage] {
    guard message.kind == .text, message.to == nil, let text = message.text else { return [] }
    let id = "lk-chat-\(message.seq)"
    let bytes = Array(text.utf8)
    let header = LiveKit.StreamHeader {
      ($0.streamID, $0.timestamp, $0.topic, $0.mimeType) = (id, message.at, topic, "text/plain")
      $0.totalLength = UInt64(bytes.count)
      $0.contentHeader = .textHeader(LiveKit.StreamTextHeader())
    }
    let chunk = LiveKit.StreamChunk { ($0.streamID, $0.content) = (id, bytes) }
    let values: [LiveKit.DataPacket.Value] = [
      .streamHeader(header), .streamChunk(chunk), .streamTrailer(LiveKit.StreamTrailer { $0.streamID = id }),
    ]
    return values.map { value in
      DataMessage(
        isReliable: true,
        payload: LiveKit.DataPacket { packet in
          (packet.kind, packet.participantIdentity, packet.participantSID) = (.reliable, identity, sid)
          packet.value = value
        }.protobuf)
    }
  }
}
