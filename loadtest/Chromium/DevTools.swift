import Foundation
import Synchronization

/// The Chrome DevTools protocol over pipes: JSON messages, each terminated by a zero byte.
package final class DevTools: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  private struct State {
    var lastId = 0
    var waiting: [Int: CheckedContinuation<Data, any Error>] = [:]
    /// Listeners by page session; each receives an event's method and the whole message.
    var listeners: [String: @Sendable (String, Data) -> Void] = [:]
    var closed = false
  }

  private let state = Mutex(State())
  private let commands: FileHandle

  init(commands: FileHandle, answers: FileHandle) {
    self.commands = commands
    let reader = Thread { [weak self] in
      var pending = Data()
      while true {
        let chunk = answers.availableData
        guard !chunk.isEmpty, let self else { break }
        pending.append(chunk)
        while let end = pending.firstIndex(of: 0) {
          self.received(Data(pending[pending.startIndex..<end]))
          pending = Data(pending[(end + 1)...])
        }
      }
      self?.close()
    }
    reader.name = "devtools"
    reader.start()
  }

  /// Calls `method` and decodes its result; in a page if `session` is set.
  package func call<Params: Encodable, Result: Decodable>(
    _ method: String, _ params: Params, session: String? = nil, timeout: Duration = .seconds(60)
  ) async throws -> Result {
    let id = state.withLock { state in
      state.lastId += 1
      return state.lastId
    }
    let command = try JSONEncoder().encode(Command(id: id, method: method, params: params, sessionId: session))
    let expiry = Task {
      try await Task.sleep(for: timeout)
      self.resume(id, with: .failure(Failure(description: "\(method) took longer than \(timeout)")))
    }
    defer { expiry.cancel() }
    let answer = try await withCheckedThrowingContinuation { continuation in
      let open = state.withLock { state in
        if !state.closed { state.waiting[id] = continuation }
        return !state.closed
      }
      guard open else { return continuation.resume(throwing: Failure(description: "the browser has ended")) }
      do { try commands.write(contentsOf: command + [0]) } catch { resume(id, with: .failure(error)) }
    }
    return try JSONDecoder().decode(Answer<Result>.self, from: answer).result
  }

  /// Passes the events of a page to `listener`, on the reader's thread; nil removes the listener.
  package func listen(to session: String, _ listener: (@Sendable (String, Data) -> Void)?) {
    state.withLock { $0.listeners[session] = listener }
  }

  private struct Command<Params: Encodable>: Encodable {
    let id: Int
    let method: String
    let params: Params
    let sessionId: String?
  }

  private struct Answer<Result: Decodable>: Decodable { let result: Result }

  private struct Envelope: Decodable {
    struct Problem: Decodable { let message: String }
    let id: Int?
    let error: Problem?
    let method: String?
    let sessionId: String?
  }

  private func received(_ message: Data) {
    guard let envelope = try? JSONDecoder().decode(Envelope.self, from: message) else { return }
    guard let id = envelope.id else {
      guard let method = envelope.method, let session = envelope.sessionId else { return }
      state.withLock { $0.listeners[session] }?(method, message)
      return
    }
    if let problem = envelope.error {
      resume(id, with: .failure(Failure(description: problem.message)))
    } else {
      resume(id, with: .success(message))
    }
  }

  private func resume(_ id: Int, with result: Result<Data, any Error>) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
  }

  private func close() {
    let waiting = state.withLock { state in
      state.closed = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(throwing: Failure(description: "the browser has ended")) }
  }
}
