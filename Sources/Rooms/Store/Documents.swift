import Foundation
import Logging
import RoomLinux

/// The documents of one kind as values. Changes are made one after the other, in the order of the calls, and a caller that waits
/// continues once its change is on disk.
///
/// There are three ways to change a document:
/// - ``update(_:_:)`` and ``set(_:as:)`` wait, and throw if the store does not answer.
/// - ``note(_:_:)`` does not wait. The change is repeated for some seconds, and later changes wait behind it. The change may be
///   lost.
/// - ``write(_:_:)`` does not wait. The write writes what the owner of the value has when its turn comes, and is repeated until
///   it succeeds.
package final class Documents<Value: Codable & Equatable & Sendable>: Sendable {
  /// What ``write(_:_:)`` makes of a document.
  package enum Content: Sendable {
    case value(Value)
    case removed
    /// The value stays as it is.
    case unchanged
  }

  private struct State {
    var work = OrderedWork()
    /// Changes that wait or are being made.
    var waiting = 0
    /// What is to be written of the documents whose turn has not come.
    var writes: [String: @Sendable () async -> Content] = [:]
    /// Why documents are not written yet.
    var failures: [String: DocumentError] = [:]
    var lost = 0
  }

  private let store: any DocumentStore
  private let kind: DocumentKind
  private let capacity: Int
  private let (attempts, pause): (Int, Duration)
  private let log: Logger
  private let state = Guarded(State())

  /// - Parameters:
  ///   - capacity: the maximum number of changes that wait. Further ones are refused, or lost and counted.
  ///   - attempts: how often a noted change is tried.
  ///   - pause: the time between two attempts.
  package init(
    _ store: any DocumentStore, _ kind: DocumentKind, capacity: Int = 10_000, attempts: Int = 20,
    pause: Duration = .milliseconds(500), log: Logger
  ) {
    (self.store, self.kind, self.capacity, self.log) = (store, kind, capacity, log)
    (self.attempts, self.pause) = (attempts, pause)
  }

  /// Noted changes that were lost: too many at once, or the store did not answer.
  package var lost: Int { state.withLock { $0.lost } }

  // MARK: Reading

  /// Returns a document; nil if there is none of this id, or if it can't be read.
  package func value(_ id: String) async throws(DocumentError) -> Value? {
    do { return try await store.document(kind, id).flatMap { Self.decode($0) } } catch { throw .unavailable(error) }
  }

  /// All documents that can be read, by id.
  package var all: [String: Value] {
    get async throws(DocumentError) {
      do { return try await store.documents(kind).compactMapValues { Self.decode($0) } } catch { throw .unavailable(error) }
    }
  }

  private static func decode(_ data: Data) -> Value? { try? JSONDecoder().decode(Value.self, from: data) }

  // MARK: Waiting changes

  /// Changes a document. Returns it once that is stored; nil if there is none of this id.
  /// - Throws: ``DocumentError``; then the document is as it was.
  @discardableResult package func update(
    _ id: String, _ change: @escaping @Sendable (inout Value) -> Void
  ) async throws(DocumentError) -> Value? {
    try await inOrder { [self] in try await updateNow(id, change) }
  }

  /// Writes a document, or removes it. Returns once that is stored.
  package func set(_ value: Value?, as id: String) async throws(DocumentError) {
    try await inOrder { [self] in try await put(value, as: id) }
  }

  /// Removes the documents that are not to stay, and those that can't be read.
  package func sweep(keeping stays: (Value) async -> Bool) async throws(DocumentError) {
    let found: [String: Data]
    do { found = try await store.documents(kind) } catch { throw .unavailable(error) }
    for (id, data) in found {
      if let value = Self.decode(data), await stays(value) { continue }
      do { try await store.set(nil, kind, id) } catch { throw .unavailable(error) }
    }
  }

  private func updateNow(_ id: String, _ change: @Sendable (inout Value) -> Void) async throws -> Value? {
    guard let old = try await store.document(kind, id).flatMap({ Self.decode($0) }) else { return nil }
    var value = old
    change(&value)
    if value != old { try await put(value, as: id) }
    return value
  }

  private func put(_ value: Value?, as id: String) async throws {
    try await store.set(try value.map { try JSONEncoder().encode($0) }, kind, id)
  }

  // MARK: Noted changes

  /// Changes a document if it exists, without waiting.
  package func note(_ id: String, _ change: @escaping @Sendable (inout Value) -> Void) {
    let isQueued = add { [self] in
      for attempt in 1... {
        do {
          _ = try await updateNow(id, change)
          return
        } catch {
          guard attempt < attempts, (try? await Task.sleep(for: pause)) != nil else { return lose(id, .unavailable(error)) }
        }
      }
    }
    if !isQueued { lose(id, .full) }
  }

  private func lose(_ id: String, _ error: DocumentError) {
    state.withLock { $0.lost += 1 }
    log.error(
      "a change of a document is lost", metadata: ["kind": "\(kind.rawValue)", "id": "\(id)", "reason": "\(error)"])
  }

  // MARK: Repeated writes

  /// Writes a document later as it is then. Calls for a document whose turn has not come share one write, with the last content.
  package func write(_ id: String, _ content: @escaping @Sendable () async -> Content) {
    state.withLock { queue(id, content, &$0) }
  }

  private func queue(_ id: String, _ content: @escaping @Sendable () async -> Content, _ state: inout State) {
    // One for each document, so that the number is that of the values that the owner has.
    guard state.writes.updateValue(content, forKey: id) == nil else { return }
    state.work.add { [self] in await writeNow(id) }
  }

  /// Returns once all changes so far are made.
  /// - Parameter id: a document, or nil for all.
  /// - Throws: why it, or any, is not written yet.
  package func settled(_ id: String? = nil) async throws(DocumentError) {
    await withCheckedContinuation { continuation in
      state.withLock { $0.work.add { continuation.resume() } }
    }
    let failure = state.withLock { state in
      if let id { state.failures[id] } else { state.failures.values.first }
    }
    if let failure { throw failure }
  }

  private func writeNow(_ id: String) async {
    guard let content = state.withLock({ $0.writes.removeValue(forKey: id) }) else { return }
    do {
      switch await content() {
      case .value(let value): try await put(value, as: id)
      case .removed: try await put(nil, as: id)
      case .unchanged: break
      }
      state.withLock { $0.failures[id] = nil }
    } catch {
      let isFirst = state.withLock { state in
        defer { state.failures[id] = .unavailable(error) }
        return state.failures.isEmpty
      }
      if isFirst {
        log.error("documents can't be stored", metadata: ["kind": "\(kind.rawValue)", "reason": "\(error)"])
      }
      Task { [weak self, pause] in
        try? await Task.sleep(for: pause)
        self?.repeatWrite(id, content)
      }
    }
  }

  private func repeatWrite(_ id: String, _ content: @escaping @Sendable () async -> Content) {
    state.withLock { state in
      // A later write has the newer content.
      if state.failures[id] != nil, state.writes[id] == nil { queue(id, content, &state) }
    }
  }

  // MARK: Order

  private func inOrder<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws(DocumentError) -> Result {
    let result: Swift.Result<Result, DocumentError> = await withCheckedContinuation { continuation in
      let isQueued = add {
        do { continuation.resume(returning: .success(try await body())) } catch {
          continuation.resume(returning: .failure(.unavailable(error)))
        }
      }
      if !isQueued { continuation.resume(returning: .failure(.full)) }
    }
    return try result.get()
  }

  /// Adds work behind all other. Returns false if too much waits.
  private func add(_ work: @escaping @Sendable () async -> Void) -> Bool {
    state.withLock { state in
      guard state.waiting < capacity else { return false }
      state.waiting += 1
      state.work.add { [guarded = self.state] in
        await work()
        guarded.withLock { $0.waiting -= 1 }
      }
      return true
    }
  }
}

/// Why a document can't be read or changed.
package enum DocumentError: Error, CustomStringConvertible {
  /// The store does not answer, or refuses; with its reason.
  case unavailable(any Error)
  /// Too many changes wait.
  case full

  package var description: String {
    switch self {
    case .unavailable(let reason): "the store of the server does not answer: \(reason)"
    case .full: "too many changes wait for the store of the server"
    }
  }
}
