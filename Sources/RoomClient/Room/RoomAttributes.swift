import RoomProtocol

/// The attributes of a room: key–value pairs of the app. A new participant receives all of them; they survive a restart of the
/// server.
///
/// ```swift
/// try await room.attributes.set(["title": "Friday quiz", "round": "1"])
/// print(room.attributes["title"] ?? "")
/// ```
public struct RoomAttributes: Sendable {
  let session: RoomSession

  /// The current attributes, at most 50.
  public var all: [String: String] { session.store.value.room?.attributes ?? [:] }

  /// The value of an attribute; nil if it is not set.
  public subscript(key: String) -> String? { all[key] }

  /// Returns a new stream of the attributes' events; see ``Room/events()`` for what it contains and loses.
  public func events() -> AsyncStream<AttributeEvent> { session.store.events.attributes.stream() }

  /// Sets attributes, all or none; needs the `admin` grant. The event `attributesChanged` reports the actual changes to all
  /// participants.
  /// - Parameter values: 1 to 10 attributes; keys of 1 to 64 bytes, values of at most 4096 bytes.
  /// - Throws: `RoomError` 10003 without the grant; 80302 for too many attributes in the call or the room, or naming the
  ///   invalid key or value. ``RoomClientError`` if the server cannot be reached.
  public func set(_ values: [String: String]) async throws { try await change(set: values) }

  /// Removes attributes, all or none; needs the `admin` grant. Ignores keys that are not set.
  /// - Parameter keys: 1 to 10 keys.
  /// - Throws: as ``set(_:)``.
  public func remove(_ keys: [String]) async throws { try await change(remove: keys) }

  /// Sets and removes attributes in one call, 1 to 10 together; needs the `admin` grant.
  /// - Throws: as ``set(_:)``.
  public func change(set values: [String: String]? = nil, remove keys: [String]? = nil) async throws {
    let _: Empty = try await session.change(.setAttributes(AttributeParams(set: values, remove: keys)))
  }
}
