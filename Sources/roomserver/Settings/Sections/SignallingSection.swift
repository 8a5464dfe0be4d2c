/// How signalling sockets are kept alive, and what a client may send.
enum SignallingSection: SettingSection {
  static let title = "Signalling"
  static let settings: [Setting] = [
    .time(
      "ping-interval", 1...300, .seconds, at: \.server.keepAlive.pingInterval,
      "Seconds between two pings on a signalling socket"),
    .time(
      "silence-time", 2...3600, .seconds, at: \.server.keepAlive.silence,
      "Seconds without a byte after which a signalling socket is closed; more than ping-interval"),
    .time(
      "join-time", 1...600, .seconds, at: \.server.keepAlive.joinTime, "Seconds that a signalling socket has to join a room"),
    .time(
      "signal-close-time", 1...60, .seconds, at: \.server.keepAlive.closeTime,
      "Seconds that a client has to answer the close frame of its signalling socket"),
    .bytes("signal-bytes", 65_536...16_777_216, at: \.server.limits.messageBytes, "Bytes of one signalling message"),
    .rate(
      "signals-per-second", 1...100_000, at: \.server.limits.messagesPerSecond,
      "Signalling messages read from one socket per second, after the burst; further ones are delayed"),
    .count("signal-burst", 1...1_000_000, at: \.server.limits.messageBurst, "Signalling messages read from one socket at once"),
    .rate(
      "changes-per-second", 1...100_000, at: \.server.limits.changesPerSecond,
      "Calls of one participant per second that send an event to the whole room, after the burst; further ones are refused"),
    .count("change-burst", 1...1_000_000, at: \.server.limits.changeBurst, "Such calls of one participant at once"),
    .bytes(
      "signal-queue-bytes", 65_536...268_435_456, at: \.server.limits.outgoingBytes,
      "Unsent bytes of one signalling socket; a client that reads more slowly is closed"),
    .time(
      "signal-gather-per-socket", 0...10_000, .microseconds, at: \.server.signalPause.perSocket,
      "Microseconds for which further events are gathered before the next write, for each socket that an event was written to"),
    .time(
      "signal-gather-time", 0...1000, .milliseconds, at: \.server.signalPause.longest,
      "Maximum milliseconds for which events are gathered; 0 writes each event at once"),
    .time(
      "presence-gather-per-socket", 0...10_000, .microseconds, at: \.server.presencePause.perSocket,
      "The same as signal-gather-per-socket, for events about joining and leaving participants"),
    .time(
      "presence-gather-time", 0...10_000, .milliseconds, at: \.server.presencePause.longest,
      "Maximum milliseconds for which those events are gathered; 0 writes each at once"),
    .count("signal-threads", 1...256, at: \.server.signallingThreads, "Threads of signalling"),
    .count("joins-tracked", 100...10_000_000, at: \.server.limits.joinAddresses, "Addresses whose joins are counted"),
    .count("kicked-tokens", 100...10_000_000, at: \.server.limits.kickedTokens, "Revoked tokens of kicked users that are kept"),
  ]
}
