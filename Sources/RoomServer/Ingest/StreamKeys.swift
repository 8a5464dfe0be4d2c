import Logging
import RoomEngine
import RoomLinux
import RoomProtocol

/// The stream keys of this server, or of all nodes of its cluster, in their store.
package final class StreamKeys: Sendable {
  /// The maximum number of keys.
  package static let maximum = 10_000

  private struct Publisher: Hashable {
    let room: RoomName
    let user: UserID
  }

  private let documents: Documents<StreamKey>
  /// The ids of the keys with which encoders came to this server.
  private let used = Guarded<[Publisher: String]>([:])

  package init(_ store: any DocumentStore, log: Logger) { documents = Documents(store, .ingress, log: log) }

  /// Returns the key that an encoder sends.
  /// - Throws: 10002 if there is none, or if it is disabled or for another protocol; 80201 if the store does not answer.
  package func key(_ text: String, for input: StreamKey.Input) async throws(RoomError) -> StreamKey {
    // A key is looked up by its first part, and compared as a whole.
    guard let id = StreamKey.id(of: text), let key = try await key(id: id), key.input == input, Self.equal(key.key, text) else {
      throw RoomError(.tokenInvalid, "there is no such stream key")
    }
    guard key.isEnabled else { throw RoomError(.tokenInvalid, "the stream key is disabled") }
    used.withLock { used in
      if used.count >= Self.maximum { used = [:] }
      used[Publisher(room: key.room, user: key.user)] = id
    }
    return key
  }

  /// Returns the key with which an encoder publishes as a user; nil if there is none.
  package func key(of user: UserID, in room: RoomName) async throws(RoomError) -> StreamKey? {
    if let id = used.withLock({ $0[Publisher(room: room, user: user)] }), let key = try await key(id: id),
      key.room == room, key.user == user
    {
      return key
    }
    // The encoder came to another server, or before a restart.
    return try await all.first { $0.room == room && $0.user == user }
  }

  /// Compares without a hint at the first difference.
  private static func equal(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  package func key(id: String) async throws(RoomError) -> StreamKey? {
    do { return try await documents.value(id) } catch { throw RoomError(.publishFailed, "\(error)") }
  }

  /// All keys, the oldest first.
  package var all: [StreamKey] {
    get async throws(RoomError) {
      do {
        return try await documents.all.values.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
      } catch { throw RoomError(.publishFailed, "\(error)") }
    }
  }

  // MARK: Changing

  /// Adds a key. Returns once it is stored.
  /// - Throws: 80302 if there are too many.
  package func add(_ key: StreamKey) async throws(RoomError) {
    guard try await all.count < Self.maximum else {
      throw RoomError(.updateRoomFailed, "the server has at most \(Self.maximum) stream keys")
    }
    try await set(key, as: key.id)
  }

  /// Changes a key. Returns it once it is stored; nil if there is none of this id.
  package func change(
    _ id: String, _ change: @escaping @Sendable (inout StreamKey) -> Void
  ) async throws(RoomError) -> StreamKey? {
    do { return try await documents.update(id, change) } catch { throw RoomError(.publishFailed, "\(error)") }
  }

  /// Removes a key. Returns it once that is stored; nil if there is none of this id.
  package func remove(_ id: String) async throws(RoomError) -> StreamKey? {
    guard let key = try await key(id: id) else { return nil }
    try await set(nil, as: id)
    return key
  }

  private func set(_ key: StreamKey?, as id: String) async throws(RoomError) {
    do { try await documents.set(key, as: id) } catch { throw RoomError(.publishFailed, "\(error)") }
  }
}
