import Foundation
import RoomProtocol

/// The calls that wait for their answers.
struct RequestTable {
  /// A good answer.
  struct Answer {
    /// Still to be decoded as the call's own result.
    var text: Data
    /// Which of the messages heard it was.
    var number: Int
  }

  typealias Waiter = CheckedContinuation<Answer, any Error>

  /// Calls in flight at once; more are refused, for the server does not answer.
  static let limit = 256

  private var waiting: [Int: Waiter] = [:]
  private var lastId = 0

  mutating func nextId() -> Int {
    lastId &+= 1
    return lastId
  }

  /// False, and nothing kept, where too many wait already.
  mutating func wait(for id: Int, _ waiter: Waiter) -> Bool {
    guard waiting.count < Self.limit else { return false }
    waiting[id] = waiter
    return true
  }

  mutating func answered(_ id: Int, with answer: Answer) { waiting.removeValue(forKey: id)?.resume(returning: answer) }
  mutating func refused(_ id: Int, with error: any Error) { waiting.removeValue(forKey: id)?.resume(throwing: error) }

  mutating func refuseAll(with error: any Error) {
    let all = waiting.values
    waiting = [:]
    for waiter in all { waiter.resume(throwing: error) }
  }
}
