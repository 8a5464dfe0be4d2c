// The table of settings: the help, the environment, the file and `roomserver config` all read it.

extension Setting {
  /// Settings that belong together.
  struct Section: Sendable {
    let title: String
    let settings: [Setting]
  }

  static let all: [Setting] = sections.flatMap(\.settings)
  static let named: [String: Setting] = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })

  static let sections: [Section] = [
    Section(title: "Access", settings: access), Section(title: "Network", settings: network),
    Section(title: "Media workers", settings: media), Section(title: "TLS", settings: tls),
    Section(title: "STUN and TURN", settings: iceServers),
    Section(title: "Rooms", settings: rooms),
    Section(title: "Seats, PK, messages and attributes", settings: rules), Section(title: "Signalling", settings: signalling),
    Section(title: "Live origin: RTMP, HTTP-FLV, HLS", settings: origin),
    Section(title: "Jobs: pushing, mixing, recording", settings: relay),
    Section(title: "Webhooks and events", settings: webhooks),
    Section(title: "The server itself", settings: server),
  ]

  private static let access: [Setting] = [
    Setting("key", .text, "key", defaultValue: .description("none, required"), "The API key."),
    Setting(
      "secret", .text, "secret", defaultValue: .description("none, required"), isSecret: true,
      "The API key's secret, at least 32 bytes: `openssl rand -hex 32`."),
    Setting(
      "api-key", .list, "id:secret", defaultValue: .description("none"), isSecret: true, variable: "ROOMSERVER_API_KEYS",
      """
      An API key and its secret in one value. May be repeated: tokens of all keys are valid, and the server signs with the \
      first one, which is --key if given.
      """),
  ]

  private static let webhooks: [Setting] = [
    Setting(
      "webhook", .list, "url", defaultValue: .description("none"), hidesQuery: true,
      "A URL that receives room events, one signed POST for each event. May be repeated."),
    Setting(
      "webhook-secret", .text, "secret", defaultValue: .description("the API key's secret"), isSecret: true,
      "The secret that signs webhook deliveries."),
    Setting(
      "webhook-certificates", .text, "file", defaultValue: .description("the system's"),
      "A PEM file of certificate authorities that are trusted for https webhooks."),
    .time("webhook-timeout", 100...60_000, .milliseconds, at: \.webhooks.timeout, "Milliseconds that a webhook has to answer"),
    .time(
      "webhook-first-wait", 10...600_000, .milliseconds, at: \.webhooks.firstWait, in: .milliseconds,
      "Milliseconds to wait after a webhook's first failure; each further failure doubles the wait"),
    .time(
      "webhook-longest-wait", 10...3_600_000, .milliseconds, at: \.webhooks.longestWait, in: .milliseconds,
      "The maximum wait after webhook failures, in milliseconds; not less than webhook-first-wait"),
    .count(
      "webhook-concurrent", 1...1000, at: \.webhooks.concurrent,
      "Concurrent deliveries to one webhook; a room has one at a time"),
    .time(
      "webhook-max-age", 1...720, .hours, at: \.webhooks.longestAge, "Hours after which an undelivered event is dropped"),
    .count(
      "events-kept", 100...10_000_000, at: \.webhooks.kept,
      "Room events that are kept for webhooks and for GET /v1/events"),
  ]

  private static let server: [Setting] = [
    Setting(
      "data", .text, "directory", defaultValue: "roomserver-data", dev: "none",
      """
      The directory for data that outlives the server. It is created if missing, and one server uses it at a time. "none" \
      stores nothing.
      """),
    Setting(
      "drain", .number, "seconds", defaultValue: "0",
      """
      Seconds that open rooms may continue after SIGTERM, 0 to 86400. No room is opened meanwhile. SIGINT stops the server at \
      once.
      """
    ),
    Setting(
      "drain-redirect", .text, "url", defaultValue: .description("none"), hidesQuery: true,
      """
      The signalling URL of the server that takes over: new joins are redirected there during a drain, and the remaining \
      participants at its end.
      """
    ),
    Setting("log-level", .text, "level", defaultValue: "info", "trace, debug, info, notice, warning, error or critical."),
  ]
}
