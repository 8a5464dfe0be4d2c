import RoomLiveOrigin
import RoomProtocol
import RoomEngine
import Synchronization

/// The counters of rooms and signalling since the start of the server.
final class ServerCounters: Sendable {
  /// A limit of `ServerLimits` that was reached.
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
    case subscribers
    case watchRate = "watch_rate"
    case watchPictures = "watch_pictures"
  }

  struct Values: Sendable {
    var sockets = 0
    var socketsOpened = 0
    /// Sockets closed because nothing was received on them.
    var socketsDead = 0
    var messagesReceived = 0
    var messagesSent = 0
    /// Messages that were not a valid request.
    var messagesMalformed = 0
    /// Messages over data channels that were malformed or not permitted.
    var dataRefused = 0
    /// Answers and events that could not be written.
    var messagesUnwritable = 0
    /// Joins by the code of their result.
    var joins: [Int: Int] = [:]
    var resumes = 0
    var kicks = 0
    /// Sessions started.
    var whipSessions = 0
    var whepSessions = 0
    var ingests: [EncoderProtocol: Int] = [:]
    /// Streams of encoders that were forwarded to the node of their room.
    var forwardedIngests = 0
    /// Streams of encoders that ended because a room can't convert them.
    var ingestFaults: [EncoderProtocol: Int] = [:]
    /// Streams of encoders whose video was transcoded for a room.
    var transcodedIngests = 0
    /// Tracks that were transcoded for subscribers that can't decode them.
    var renditions = 0
    var iceRestarts = 0
    /// Errors sent over signalling, by code.
    var errors: [Int: Int] = [:]
    var limits: [Limit: Int] = [:]
    /// Watch pages that showed nothing.
    var watchFailures: [WatchFailure: Int] = [:]
  }

  private let box = Mutex(Values())

  var values: Values { box.withLock { $0 } }

  func count(_ change: (inout Values) -> Void) { box.withLock { change(&$0) } }

  func count(limit: Limit) { count { $0.limits[limit, default: 0] += 1 } }
}

extension ServerCounters {
  /// Counts an event of a room.
  func count(_ count: RoomCount) {
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
