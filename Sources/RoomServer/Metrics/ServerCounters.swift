import NIOConcurrencyHelpers
import RoomProtocol

/// What rooms and signalling count since the start of the server.
final class ServerCounters: Sendable {
  /// A bound of `ServerLimits` that somebody ran into.
  enum Limit: String, Sendable, CaseIterable {
    case rooms
    case participants
    case sessions
    case changeRate = "change_rate"
    case tracks
    case messageSize = "message_size"
    case joinRate = "join_rate"
    case messageRate = "message_rate"
    case slowClient = "slow_client"
    case kickedTokens = "kicked_tokens"
    case jobs
    case broadcasts
  }

  struct Values: Sendable {
    var sockets = 0
    var socketsOpened = 0
    /// Sockets closed because nothing came on them.
    var socketsDead = 0
    var messagesReceived = 0
    var messagesSent = 0
    /// Messages that were no request.
    var messagesMalformed = 0
    /// Answers and events that could not be written.
    var messagesUnwritable = 0
    /// Joins by the code of their answer.
    var joins: [Int: Int] = [:]
    var resumes = 0
    var kicks = 0
    /// Sessions ever begun.
    var whipSessions = 0
    var whepSessions = 0
    var rtmpSessions = 0
    /// Of these, streams that a room can't take.
    var rtmpFaults = 0
    var iceRestarts = 0
    /// Errors answered over signalling, by code.
    var errors: [Int: Int] = [:]
    var limits: [Limit: Int] = [:]
  }

  private let box = NIOLockedValueBox(Values())

  var values: Values { box.withLockedValue { $0 } }

  func count(_ change: (inout Values) -> Void) { box.withLockedValue { change(&$0) } }

  func count(limit: Limit) { count { $0.limits[limit, default: 0] += 1 } }
}
