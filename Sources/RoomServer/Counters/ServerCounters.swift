import RoomLiveOrigin
import RoomProtocol
import RoomEngine
import Synchronization

/// The counters of rooms and signalling since the start of the server.
package final class ServerCounters: Sendable {
  /// A limit of `ServerLimits` that was reached.
  package enum Limit: String, Sendable, CaseIterable {
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
    case subscribers
    case watchRate = "watch_rate"
    case watchPictures = "watch_pictures"
  }

  package struct Values: Sendable {
    package var sockets = 0
    package var socketsOpened = 0
    /// Sockets closed because nothing was received on them.
    package var socketsDead = 0
    package var messagesReceived = 0
    package var messagesSent = 0
    /// Messages that were not a valid request.
    package var messagesMalformed = 0
    /// Messages over data channels that were malformed or not permitted.
    package var dataRefused = 0
    /// Answers and events that could not be written.
    package var messagesUnwritable = 0
    /// Joins by the code of their result.
    package var joins: [Int: Int] = [:]
    package var resumes = 0
    package var kicks = 0
    /// Sessions started.
    package var whipSessions = 0
    package var whepSessions = 0
    package var ingests: [EncoderProtocol: Int] = [:]
    /// Streams of encoders that were forwarded to the node of their room.
    package var forwardedIngests = 0
    /// Streams of encoders that ended because a room can't convert them.
    package var ingestFaults: [EncoderProtocol: Int] = [:]
    /// Streams of encoders whose video was transcoded for a room.
    package var transcodedIngests = 0
    /// Tracks that were transcoded for subscribers that can't decode them.
    package var renditions = 0
    package var iceRestarts = 0
    /// Errors sent over signalling, by code.
    package var errors: [Int: Int] = [:]
    package var limits: [Limit: Int] = [:]
  }

  private let box = Mutex(Values())

  package var values: Values { box.withLock { $0 } }

  package func count(_ change: (inout Values) -> Void) { box.withLock { change(&$0) } }

  package func count(limit: Limit) { count { $0.limits[limit, default: 0] += 1 } }
}

extension ServerCounters {
  /// Counts an event of a room.
  package func count(_ count: RoomCount) {
    switch count {
    case .limit(let limit): self.count(limit: Limit(limit))
    case .resume: self.count { $0.resumes += 1 }
    case .kick: self.count { $0.kicks += 1 }
    case .whipSession: self.count { $0.whipSessions += 1 }
    case .whepSession: self.count { $0.whepSessions += 1 }
    case .ingest(let encoderProtocol): self.count { $0.ingests[encoderProtocol, default: 0] += 1 }
    case .ingestFault(let encoderProtocol): self.count { $0.ingestFaults[encoderProtocol, default: 0] += 1 }
    case .transcodedIngest: self.count { $0.transcodedIngests += 1 }
    case .rendition: self.count { $0.renditions += 1 }
    case .iceRestart: self.count { $0.iceRestarts += 1 }
    case .error(let code): self.count { $0.errors[code.rawValue, default: 0] += 1 }
    case .messageRefused: self.count { $0.dataRefused += 1 }
    case .unwritable: self.count { $0.messagesUnwritable += 1 }
    }
  }
}

extension ServerCounters.Limit {
  fileprivate init(_ limit: RoomCount.Limit) {
    switch limit {
    case .participants: self = .participants
    case .sessions: self = .sessions
    case .changeRate: self = .changeRate
    case .tracks: self = .tracks
    case .jobs: self = .jobs
    case .broadcasts: self = .broadcasts
    case .subscribers: self = .subscribers
    }
  }
}
