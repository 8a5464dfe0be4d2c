/// Why a connection to a server ended, or was not made.
public enum RedisFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The address or TLS: the reason of the system.
  case notReachable(String)
  /// The server, or a proxy, closed the connection.
  case closed
  /// No answer within the time.
  case timedOut
  /// The server sent something else than RESP2.
  case malformed(String)
  /// The server refused the user, the password or the database.
  case refused(String)
  /// The server is a replica, which accepts no write.
  case replica
  /// No Sentinel, or no node of the Redis Cluster, answered with an address.
  case noMaster(String)
  /// The node of a Redis Cluster does not serve the slot of the keys: its own error.
  case moved(String)

  public var description: String {
    switch self {
    case .notReachable(let reason): "the server is not reachable: \(reason)"
    case .closed: "the server closed the connection"
    case .timedOut: "the server did not answer in time"
    case .malformed(let reason): "the server sent no RESP2: \(reason)"
    case .refused(let reason): "the server refused the connection: \(reason)"
    case .replica: "the server is a replica"
    case .noMaster(let reason): "the master is not known: \(reason)"
    case .moved(let reason): "the server does not serve the keys: \(reason)"
    }
  }
}

/// Why a command has no result.
public enum RedisError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The server's own error: a code in capitals, a space and a sentence.
  case refused(String)
  /// The command was not sent within its time: it has no effect.
  case notSent(RedisFault?)
  /// The command was sent, and its answer did not arrive: its effect is unknown.
  case unanswered(RedisFault)
  /// The queue of waiting commands is full. The command has no effect.
  case queueFull
  /// Too few replicas acknowledged the write in time.
  case notReplicated(acknowledged: Int)
  /// The client was closed.
  case closed
  /// A reply of another form than expected.
  case unexpected(String)

  public var description: String {
    switch self {
    case .refused(let text): "Redis refused the command: \(text)"
    case .notSent(let fault): "the command was not sent in time: \(fault.map { "\($0)" } ?? "there is no connection")"
    case .unanswered(let fault): "the command has no answer: \(fault)"
    case .queueFull: "too many commands wait for Redis"
    case .notReplicated(let count): "\(count) replicas acknowledged the write, which are too few"
    case .closed: "the client of Redis is closed"
    case .unexpected(let text): "Redis sent an unexpected reply: \(text)"
    }
  }
}
