import Foundation
import Logging
import RoomProtocol

/// The calls of a session over its current socket, and their answers.
///
/// Confined to the session's actor.
final class SessionCalls {
  /// A call whose answer is no longer awaited.
  struct Abandoned: Sendable {
    let id: Int
    let epoch: Int
    let error: any Error
  }

  var link: SignalLink?
  /// Incremented with each socket, so that input of an old one is ignored.
  var epoch = 0
  /// The number of messages received from the server.
  var received = 0
  var isClosed = false
  private let timeout: Duration
  private let logger: Logger
  private let post: @Sendable (Abandoned) -> Void

  /// - Parameter post: passes a call whose caller gave up, or whose time is over, to ``abandon(_:)`` on the session's actor.
  init(timeout: Duration, logger: Logger, post: @escaping @Sendable (Abandoned) -> Void) {
    self.timeout = timeout
    self.logger = logger
    self.post = post
  }

  /// Sends a call whose answer nobody awaits.
  func tell(_ call: SignalCall) { link?.tell(call) }

  func drop(_ error: RoomClientError, politely: Bool) {
    link?.end(error, politely: politely)
    link = nil
  }

  func abandon(_ call: Abandoned) { if call.epoch == epoch { link?.abandon(call.id, with: call.error) } }

  /// Sends a call and waits for its answer.
  /// - Parameter settled: whether to return after the call's changes of the room are applied.
  /// - Returns: the result, and the number of the message that was the answer.
  /// - Throws: the server's error, the client's own on a lost socket or a timeout, or `CancellationError`.
  func numberedRequest<Result: Codable & Sendable>(
    _ call: SignalCall, for: Result.Type = Empty.self, settled: Bool = false, isolation: isolated (any Actor)? = #isolation
  ) async throws -> (result: Result, number: Int) {
    guard let link else { throw isClosed ? RoomClientError.closed : .connectionLost("reconnecting") }
    try Task.checkCancellation()
    let (timeout, epoch, id, post) = (timeout, epoch, link.nextId(), post)
    let answer: RequestTable.Answer = try await withTaskCancellationHandler {
      // Also captures the parameter: an async closure that does not would run on any thread.
      isolation?.assertIsolated()
      return try await withCheckedThrowingContinuation { waiter in
        guard link.call(call, id: id, settled: settled, waiter) else { return }
        Task {
          try? await Task.sleep(for: timeout)
          post(Abandoned(id: id, epoch: epoch, error: RoomClientError.timedOut(call.method)))
        }
      }
    } onCancel: {
      post(Abandoned(id: id, epoch: epoch, error: CancellationError()))
    }
    let decoded: SignalAnswer<Result>
    do { decoded = try JSONDecoder().decode(SignalAnswer<Result>.self, from: answer.text) } catch {
      logger.debug("the answer to \(call.method) is invalid: \(error)")
      throw RoomClientError.protocolViolation("the answer to \(call.method) is invalid")
    }
    switch decoded {
    case .result(_, let result): return (result, answer.number)
    case .error(_, let error): throw error
    }
  }

  /// Sends a call and waits for an answer without content.
  func ask(_ call: SignalCall, isolation: isolated (any Actor)? = #isolation) async throws {
    let _: (Empty, Int) = try await numberedRequest(call)
  }
}
