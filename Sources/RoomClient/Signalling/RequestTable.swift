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
  /// Calls that were answered well and wait until another is, by the other's id; nil before their own answer.
  private var behind: [Int: (id: Int, answer: Answer?)] = [:]
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

  /// The call is done only when `other`, which goes out after it, is answered: until then come the events that it causes.
  mutating func settle(_ id: Int, with other: Int) { behind[other] = (id, nil) }

  mutating func answered(_ id: Int, with answer: Answer) {
    if let (first, held) = behind.removeValue(forKey: id) {
      if let held { waiting.removeValue(forKey: first)?.resume(returning: held) }
    } else if let other = behind.first(where: { $0.value.id == id })?.key {
      behind[other] = (id, answer)
    } else {
      waiting.removeValue(forKey: id)?.resume(returning: answer)
    }
  }

  mutating func refused(_ id: Int, with error: any Error) {
    if let first = behind.removeValue(forKey: id)?.id { waiting.removeValue(forKey: first)?.resume(throwing: error) }
    waiting.removeValue(forKey: id)?.resume(throwing: error)
  }

  mutating func refuseAll(with error: any Error) {
    let all = waiting.values
    waiting = [:]
    behind = [:]
    for waiter in all { waiter.resume(throwing: error) }
  }
}
