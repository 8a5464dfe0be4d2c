import RoomProtocol
import RoomWebRTC

/// Messages of an app over data channels, which take one network delay to the server and one to their receivers.
///
/// ```swift
/// let room = try await Room.connect(to: url, token: token, options: RoomOptions(data: true))
/// try await room.data.send(Array("hello".utf8), topic: "chat")
/// for await message in room.data.messages() { print(message.userId ?? "", message.topic) }
/// ```
///
/// Messages reach participants that are connected with data channels, also by LiveKit's SDKs. The room stores none of them: use
/// ``RoomMessages`` for what later participants are to see.
public struct RoomData: Sendable {
  let session: RoomSession

  /// Returns a new stream of received messages. The first call returns the one that began with the join; see ``Room/events()``.
  public func messages() -> AsyncStream<ReceivedData> { session.store.receivedData() }

  /// Sends a message. Waits while the connection is being established, or carries no more.
  /// - Parameters:
  ///   - payload: at most 60,000 bytes.
  ///   - topic: what it is about, at most 256 bytes.
  ///   - userIds: the receivers, at most 64; nil for all others.
  ///   - reliable: whether it is repeated until it arrives, in the order of the others. If not, it may be lost, and overtake others.
  /// - Throws: `RoomError` 81001 for a message beyond the limits; ``RoomClientError/mediaFailed(_:)`` without ``RoomOptions/data``;
  ///   ``RoomClientError/timedOut(_:)`` if it can't be sent within ``RoomOptions/timeout``.
  public func send(
    _ payload: [UInt8], topic: String = "", to userIds: [UserID]? = nil, reliable: Bool = true
  ) async throws {
    let header = DataFrame.Header(topic: topic.isEmpty ? nil : topic, to: userIds)
    guard let bytes = DataFrame(header, payload: payload).bytes else {
      throw RoomError(
        .messageFailed, "a message has a payload of 60,000 bytes, a topic of 256 bytes and 64 receivers at most")
    }
    try await session.send(DataChannelMessage(bytes), label: reliable ? ReceivedData.reliable : ReceivedData.lossy)
  }
}
