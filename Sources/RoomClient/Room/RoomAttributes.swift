import RoomProtocol

/// The attributes of a room: what its app knows of it, as keys with values. A newcomer gets all; they outlive a restart of the server.
///
/// ```swift
/// try await room.attributes.set(["title": "Friday quiz", "round": "1"])
/// print(room.attributes["title"] ?? "")
/// ```
public struct RoomAttributes: Sendable {
  let session: RoomSession

  /// All, as they are now: at most 50.
  public var all: [String: String] { session.board.value.room?.attributes ?? [:] }

  public subscript(key: String) -> String? { all[key] }

  /// Sets attributes, all or none; needs the `admin` grant. `attributesChanged` tells all what really changed.
  /// - Parameter values: 1 to 10; keys of 1 to 64 bytes, values of at most 4096.
  /// - Throws: `RoomError` 10003; 80302 too many in the call or in the room, or which key or value won't do. `RoomClientError` where
  ///   the server can't be asked.
  public func set(_ values: [String: String]) async throws { try await change(set: values) }

  /// Removes attributes, all or none; needs the `admin` grant. Keys that are not there are none to remove.
  /// - Parameter keys: 1 to 10.
  /// - Throws: as ``set(_:)``.
  public func remove(_ keys: [String]) async throws { try await change(remove: keys) }

  /// Sets some and removes others in one call, 1 to 10 together.
  /// - Throws: as ``set(_:)``.
  public func change(set values: [String: String]? = nil, remove keys: [String]? = nil) async throws {
    let _: Empty = try await session.change(.setAttributes(AttributeParams(set: values, remove: keys)))
  }
}
