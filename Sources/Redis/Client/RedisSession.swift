/// One connection to a server, from its greeting to its end.
public struct RedisSession: Sendable, Hashable {
  /// Counts the connections of a client.
  public let number: UInt64
  /// The server process (`run_id`). The id changes with each restart and each failover.
  public let process: String
  public let server: RedisURL.Endpoint
}

/// The commands that open a connection, and the check of their replies. Sans-I/O.
struct Greeting: Sendable {
  private let commands: [RedisCommand]
  private var replies: [RedisValue] = []
  private var reader = ReplyReader()

  init(_ url: RedisURL) {
    var commands = url.authentication
    if url.database != 0 { commands.append(["SELECT", "\(url.database)"]) }
    self.commands = commands + [["ROLE"], ["INFO", "server"]]
  }

  /// The bytes to send.
  var output: [UInt8] {
    var bytes: [UInt8] = []
    for command in commands { command.write(to: &bytes) }
    return bytes
  }

  /// Reads received bytes. Returns the server's process once all replies have arrived.
  mutating func received(_ bytes: some Collection<UInt8>) throws(RedisFault) -> String? {
    reader.append(bytes)
    while replies.count < commands.count {
      let reply: RedisValue?
      do { reply = try reader.next() } catch { throw .malformed("\(error)") }
      guard let reply else { return nil }
      if case .error(let text) = reply { throw .refused(text) }
      replies.append(reply)
    }
    guard replies[replies.count - 2].elements?.first?.text == "master" else { throw .replica }
    let lines = replies.last?.text?.split(whereSeparator: \.isNewline) ?? []
    guard let process = lines.first(where: { $0.hasPrefix("run_id:") })?.dropFirst("run_id:".count), !process.isEmpty else {
      throw .malformed("INFO has no run_id")
    }
    return String(process)
  }
}
