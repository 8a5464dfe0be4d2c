import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomEngine

/// A store whose writes the test starts and ends.
final class SteeredStore: RoomStore {
  private let state = Shared<(begun: [Int], writing: CheckedContinuation<Void, any Error>?)>(([], nil))

  struct Full: Error {}

  /// The number of changes in each transaction.
  var begun: [Int] { state.withLock { $0.begun } }

  func load() async throws -> StoredServer { StoredServer() }
  func write(_ changes: [StoreChange]) async throws {
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { state in
        state.begun.append(changes.count)
        state.writing = continuation
      }
    }
  }
  func close() async {}

  func end(_ result: Result<Void, any Error> = .success(())) async throws {
    let writing = try await eventually("a transaction") {
      state.withLock { state in
        defer { state.writing = nil }
        return state.writing
      }
    }
    writing.resume(with: result)
  }
}
