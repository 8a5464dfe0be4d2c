import Foundation
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import Synchronization

/// The calls of app servers to LiveKit clients that wait for their answers.
final class LiveKitCalls: Sendable {
  enum Outcome: Sendable {
    case answered(LiveKit.RPCResponse)
    case noAnswerInTime
    case notSent
    case tooManyCalls
  }

  private struct Waiting: Sendable {
    var room: RoomName
    var user: UserID
    var answers: AsyncStream<LiveKit.RPCResponse>.Continuation
  }

  /// Calls that wait at a time.
  private static let limit = 1024
  private let waiting = Mutex<[String: Waiting]>([:])

  /// Performs a call.
  /// - Parameter send: sends the call with an id. Returns false if it can't.
  func perform(
    by user: UserID, in room: RoomName, within timeout: Duration, _ send: (String) async -> Bool
  ) async -> Outcome {
    let id = UUID().uuidString.lowercased()
    let (answers, continuation) = AsyncStream.makeStream(
      of: LiveKit.RPCResponse.self, bufferingPolicy: .bufferingOldest(1))
    let isAdded = waiting.withLock { waiting in
      guard waiting.count < Self.limit else { return false }
      waiting[id] = Waiting(room: room, user: user, answers: continuation)
      return true
    }
    guard isAdded else { return .tooManyCalls }
    defer { waiting.withLock { $0[id] = nil } }
    guard await send(id) else { return .notSent }
    let timer = Task {
      try? await Task.sleep(for: timeout)
      continuation.finish()
    }
    defer { timer.cancel() }
    return await answers.first { _ in true }.map { .answered($0) } ?? .noAnswerInTime
  }

  /// Takes a client's answer. One that nobody waits for has no effect.
  func answer(_ response: LiveKit.RPCResponse, by user: UserID, in room: RoomName) {
    let waiting = waiting.withLock { $0[response.requestID] }
    // Only the client that was called can answer.
    if let waiting, waiting.user == user, waiting.room == room { waiting.answers.yield(response) }
  }
}
