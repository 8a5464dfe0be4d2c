import Foundation
import RoomProtocol

/// The pending calls.
struct RequestTable {
  /// A successful answer.
  struct Answer {
    /// The JSON, not yet decoded as the call's result.
    var text: Data
    /// The number of the message that was the answer.
    var number: Int
  }

  typealias Waiter = CheckedContinuation<Answer, any Error>

  /// The largest number of pending calls. More fail, because the server does not answer.
  static let limit = 256

  private var waiting: [Int: Waiter] = [:]
  /// Calls whose completion waits for the answer of another call, by that call's id; `answer` is nil before their own answer.
  private var behind: [Int: (id: Int, answer: Answer?)] = [:]
  private var lastId = 0

  mutating func nextId() -> Int {
    lastId &+= 1
    return lastId
  }

  /// Registers a call. Returns false, without registering it, if too many are pending.
  mutating func wait(for id: Int, _ waiter: Waiter) -> Bool {
    guard waiting.count < Self.limit else { return false }
    waiting[id] = waiter
    return true
  }

  /// Delays the call's completion until `other`, which is sent after it, is answered. The events that the call causes arrive
  /// before.
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
