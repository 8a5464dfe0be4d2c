import Foundation
import RoomEngine
import RoomLinux
import RoomProtocol

/// The stream keys of this server, or of all nodes of its cluster, in their store.
final class StreamKeys: Sendable {
  /// The maximum number of keys.
  static let maximum = 10_000

  private let store: any DocumentStore
  /// Changes are made one after the other.
  private let work = Guarded(OrderedWork())

  init(_ store: any DocumentStore) { self.store = store }

  /// Returns the key that an encoder sends.
  /// - Throws: 10002 if there is none, or if it is disabled or for another protocol; 80201 if the store does not answer.
  func key(_ text: String, for input: StreamKey.Input) async throws(RoomError) -> StreamKey {
    // A key is looked up by its first part, and compared as a whole.
    guard let id = StreamKey.id(of: text), let key = try await key(id: id), key.input == input, Self.equal(key.key, text) else {
      throw RoomError(.tokenInvalid, "there is no such stream key")
    }
    guard key.isEnabled else { throw RoomError(.tokenInvalid, "the stream key is disabled") }
    return key
  }

  /// Compares without a hint at the first difference.
  private static func equal(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  func key(id: String) async throws(RoomError) -> StreamKey? {
    do { return try await store.document(.ingress, id).flatMap { Self.decode($0) } } catch { throw Self.unavailable(error) }
  }

  /// All keys, the oldest first.
  var all: [StreamKey] {
    get async throws(RoomError) {
      do {
        return try await store.documents(.ingress).values.compactMap { Self.decode($0) }
          .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
      } catch { throw Self.unavailable(error) }
    }
  }

  private static func decode(_ data: Data) -> StreamKey? { try? JSONDecoder().decode(StreamKey.self, from: data) }

  private static func unavailable(_ error: any Error) -> RoomError {
    RoomError(.publishFailed, "the store of the server does not answer: \(error)")
  }

  // MARK: Changing

  /// Adds a key. Returns once it is stored.
  /// - Throws: 80302 if there are too many.
  func add(_ key: StreamKey) async throws(RoomError) {
    guard try await all.count < Self.maximum else {
      throw RoomError(.updateRoomFailed, "the server has at most \(Self.maximum) stream keys")
    }
    try await write(key, as: key.id)
  }

  /// Changes a key. Returns it once it is stored; nil if there is none of this id.
  func change(_ id: String, _ change: @escaping @Sendable (inout StreamKey) -> Void) async throws(RoomError) -> StreamKey? {
    let result = await inOrder { [self] () -> Result<StreamKey?, RoomError> in
      do throws(RoomError) {
        guard var key = try await key(id: id) else { return .success(nil) }
        change(&key)
        try await store(key, as: id)
        return .success(key)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Removes a key. Returns it once that is stored; nil if there is none of this id.
  func remove(_ id: String) async throws(RoomError) -> StreamKey? {
    guard let key = try await key(id: id) else { return nil }
    try await write(nil, as: id)
    return key
  }

  private func write(_ key: StreamKey?, as id: String) async throws(RoomError) {
    let result = await inOrder { [self] () -> Result<Void, RoomError> in
      do throws(RoomError) { return .success(try await store(key, as: id)) } catch { return .failure(error) }
    }
    try result.get()
  }

  private func store(_ key: StreamKey?, as id: String) async throws(RoomError) {
    do { try await store.set(try key.map { try JSONEncoder().encode($0) }, .ingress, id) } catch {
      throw Self.unavailable(error)
    }
  }

  private func inOrder<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      work.withLock { $0.add { continuation.resume(returning: await body()) } }
    }
  }
}
