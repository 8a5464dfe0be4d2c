/// Data, drain and log of the server.
enum ServerSection: SettingSection {
  static let title = "The server itself"
  static let settings: [Setting] = [
    .text(
      "data", "directory", at: \.data,
      """
      The directory for data that outlives the server. It is created if missing, and one server uses it at a time. "none" \
      stores nothing
      """),
    .count(
      "history-rows", 100...10_000_000, at: \.server.history.rows,
      "The maximum number of events, of sessions and of lives in the history, each; at most 10000 without a data directory"),
    .time(
      "history-days", 1...3650, .days, at: \.server.history.longestAge,
      "Days after which an event, a session or a live is removed from the history"),
    .time(
      "drain", 0...86_400, .seconds, at: \.drainTime,
      """
      Seconds that open rooms may continue after SIGTERM. No room is opened meanwhile. SIGINT stops the server at \
      once
      """),
    .text(
      "drain-redirect", "url", at: \.drainRedirect, privacy: .hidesQuery,
      """
      The signalling URL of the server that takes over: new joins are redirected there during a drain, and the remaining \
      participants at its end
      """),
    .choice("log-level", at: \.logLevel, unit: "level", "trace, debug, info, notice, warning, error or critical"),
  ]
}
