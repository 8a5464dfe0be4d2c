import Foundation
import RoomProtocol

/// The messages of a room: texts, likes, gifts, barrages, and the app's own.
///
/// ```swift
/// try await room.messages.send("hello")
/// try await room.messages.sendGift("rose", count: 3)
/// for await case .message(let message) in room.events { print(message.userId, message.text ?? "") }
/// ```
///
/// All see messages in one order, by their `seq`; the sender gets its own too. Each call throws `RoomError` 81001 for a message that
/// won't do, with the field's name, and for more than 10 a second after 20 at once; 80103 where `to` is not in the room; 10003 for a
/// hidden user; and `RoomClientError` where the server can't be asked.
public struct RoomMessages: Sendable {
  let session: RoomSession

  /// The last messages to all, likes left out, the oldest first: at most `limits.historyMessages`. A newcomer has those from before
  /// its join too.
  public var history: [RoomMessage] { session.board.value.room?.messages ?? [] }

  /// Sends a text of at most 4096 bytes.
  /// - Parameter to: the only receiver; nil for all.
  @discardableResult public func send(_ text: String, to userId: UserID? = nil) async throws -> MessageResult {
    try await send(MessageParams(.text, text: text, to: userId))
  }

  /// Sends a text that flies over the picture, of at most 4096 bytes.
  @discardableResult public func sendBarrage(_ text: String, to userId: UserID? = nil) async throws -> MessageResult {
    try await send(MessageParams(.barrage, text: text, to: userId))
  }

  /// Sends likes. They are for the moment: newcomers don't get them.
  /// - Parameter count: 1 to 1,000,000: gather what a finger taps and send it once a second.
  @discardableResult public func sendLike(count: Int = 1, to userId: UserID? = nil) async throws -> MessageResult {
    try await send(MessageParams(.like, count: count, to: userId))
  }

  /// Sends a gift.
  /// - Parameters:
  ///   - type: which one; at most 64 bytes.
  ///   - count: 1 to 1,000,000.
  ///   - text: at most 4096 bytes.
  @discardableResult public func sendGift(
    _ type: String, count: Int = 1, text: String? = nil, to userId: UserID? = nil
  ) async throws -> MessageResult {
    try await send(MessageParams(.gift, text: text, type: type, count: count, to: userId))
  }

  /// Sends a message of the app's own.
  /// - Parameters:
  ///   - type: its name; at most 64 bytes.
  ///   - value: written as JSON, of at most 65,536 bytes and 64 levels.
  @discardableResult public func sendCustom(
    _ type: String, _ value: some Encodable & Sendable, to userId: UserID? = nil
  ) async throws -> MessageResult {
    let data: Data
    do { data = try JSONEncoder().encode(value) } catch {
      throw RoomError(.messageFailed, "data: it can't be written as JSON: \(error)")
    }
    return try await send(MessageParams(.custom, type: type, data: String(decoding: data, as: UTF8.self), to: userId))
  }

  /// Sends a message with whichever fields the app likes.
  /// - Returns: its number and its time.
  @discardableResult public func send(_ message: MessageParams) async throws -> MessageResult {
    // What is much too long for the server would cost the connection.
    if let complaint = message.complaint { throw RoomError(.messageFailed, complaint) }
    return try await session.request(.sendMessage(message), for: MessageResult.self)
  }
}

extension RoomMessage {
  /// The JSON of a custom message as the app's own type; nil where it is none.
  public func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
    data.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
  }
}
