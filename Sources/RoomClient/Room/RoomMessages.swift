import Foundation
import RoomProtocol

/// The messages of a room: texts, likes, gifts, barrages and custom messages.
///
/// ```swift
/// try await room.messages.send("hello")
/// try await room.messages.sendGift("rose", count: 3)
/// for await message in room.messages.events() { print(message.userId, message.text ?? "") }
/// ```
///
/// All participants receive messages in the same order, by `seq`; the sender receives its own message too.
///
/// Each call throws `RoomError` 81001 for an invalid message, naming the field. The call throws the same for more than 10
/// messages a second, after a burst of 20 messages. The call throws 80103 if `to` is not in the room, 10003 for a hidden
/// participant, and ``RoomClientError`` if the server cannot be reached.
public struct RoomMessages: Sendable {
  let session: RoomSession

  /// The last messages to all without likes, the oldest first: at most `limits.historyMessages`. A new participant also
  /// receives those from before its join.
  public var history: [RoomMessage] { session.store.value.room?.messages ?? [] }

  /// Returns a new stream of the messages to all or to this client, with its own; see ``Room/events()`` for what it contains
  /// and loses.
  public func events() -> AsyncStream<RoomMessage> { session.store.events.messages.stream() }

  /// Sends a text of 1 to 4096 bytes.
  /// - Parameters:
  ///   - text: the text.
  ///   - userId: the only recipient; nil for all.
  /// - Returns: the message's number and time.
  @discardableResult public func send(_ text: String, to userId: UserID? = nil) async throws -> MessageResult {
    try await send(MessageParams(.text, text: text, to: userId))
  }

  /// Sends a text of 1 to 4096 bytes that moves across the picture.
  /// - Returns: the message's number and time.
  @discardableResult public func sendBarrage(_ text: String, to userId: UserID? = nil) async throws -> MessageResult {
    try await send(MessageParams(.barrage, text: text, to: userId))
  }

  /// Sends likes. New participants do not receive earlier likes.
  /// - Parameters:
  ///   - count: 1 to 1,000,000. Collect the taps and send them once a second, because of the rate limit.
  ///   - userId: the only recipient; nil for all.
  /// - Returns: the message's number and time.
  @discardableResult public func sendLike(count: Int = 1, to userId: UserID? = nil) async throws -> MessageResult {
    try await send(MessageParams(.like, count: count, to: userId))
  }

  /// Sends gifts.
  /// - Parameters:
  ///   - type: the type of the gift, 1 to 64 bytes.
  ///   - count: 1 to 1,000,000.
  ///   - text: an optional text of at most 4096 bytes.
  ///   - userId: the only recipient; nil for all.
  /// - Returns: the message's number and time.
  @discardableResult public func sendGift(
    _ type: String, count: Int = 1, text: String? = nil, to userId: UserID? = nil
  ) async throws -> MessageResult {
    try await send(MessageParams(.gift, text: text, type: type, count: count, to: userId))
  }

  /// Sends a message that the app defines.
  /// - Parameters:
  ///   - type: its name, 1 to 64 bytes.
  ///   - value: its content, encoded as JSON of at most 65,536 bytes and 64 levels.
  ///   - userId: the only recipient; nil for all.
  /// - Returns: the message's number and time.
  @discardableResult public func sendCustom(
    _ type: String, _ value: some Encodable & Sendable, to userId: UserID? = nil
  ) async throws -> MessageResult {
    let data: Data
    do { data = try JSONEncoder().encode(value) } catch {
      throw RoomError(.messageFailed, "data: cannot be encoded as JSON: \(error)")
    }
    return try await send(MessageParams(.custom, type: type, data: String(decoding: data, as: UTF8.self), to: userId))
  }

  /// Sends a message with any combination of fields.
  /// - Returns: the message's number and time.
  @discardableResult public func send(_ message: MessageParams) async throws -> MessageResult {
    // Validated here, because the server closes the connection for a message that is much too long.
    if let validationError = message.validationError { throw RoomError(.messageFailed, validationError) }
    return try await session.request(.sendMessage(message), for: MessageResult.self)
  }
}

extension RoomMessage {
  /// Decodes the JSON of a custom message. Returns nil if there is none, or if it does not match the type.
  public func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
    data.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
  }
}
