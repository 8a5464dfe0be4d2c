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
    Setting("key", .text, "key", usual: .words("none: one is needed"), "The API key."),
    Setting(
      "secret", .text, "secret", usual: .words("none: one is needed"), isSecret: true,
      "The API key's secret, at least 32 bytes: `openssl rand -hex 32`."),
    Setting(
      "api-key", .list, "id:secret", usual: .words("none"), isSecret: true, variable: "ROOMSERVER_API_KEYS",
      """
      An API key with its secret, in one. May be repeated: tokens of all keys are good, and the server signs with the first, which \
      is that of --key if there is one.
      """),
  ]

  private static let webhooks: [Setting] = [
    Setting(
      "webhook", .list, "url", usual: .words("none"), hidesQuery: true,
      "A URL that is told what happens in rooms, by a signed POST for each event. May be repeated."),
    Setting(
      "webhook-secret", .text, "secret", usual: .words("the API key's secret"), isSecret: true, "What these are signed with."),
    Setting(
      "webhook-certificates", .text, "file", usual: .words("the system's"),
      "A PEM file of the certificates that https webhooks may be signed by."),
    .time("webhook-timeout", 100...60_000, .milliseconds, at: \.webhooks.timeout, "Milliseconds in which a webhook answers"),
    .time(
      "webhook-first-wait", 10...600_000, .milliseconds, at: \.webhooks.firstWait, in: .milliseconds,
      "Milliseconds after a webhook's first failure; they double with each further one"),
    .time(
      "webhook-longest-wait", 10...3_600_000, .milliseconds, at: \.webhooks.longestWait, in: .milliseconds,
      "Milliseconds that they become at most; not less than webhook-first-wait"),
    .count(
      "webhook-concurrent", 1...1000, at: \.webhooks.concurrent, "Deliveries to one webhook at once; a room has one at a time"),
    .time(
      "webhook-max-age", 1...720, .hours, at: \.webhooks.longestAge, "Hours after which an undelivered event is given up"),
    .count(
      "events-kept", 100...10_000_000, at: \.webhooks.kept,
      "Events of rooms that are kept, for webhooks and for GET /v1/events"),
  ]

  private static let server: [Setting] = [
    Setting(
      "data", .text, "directory", usual: "roomserver-data", dev: "none",
      "The directory for what outlives the server: it is made, and one server uses it at a time. \"none\" keeps nothing."),
    Setting(
      "drain", .number, "seconds", usual: "0",
      "Seconds that SIGTERM leaves open rooms to end by themselves, 0 to 86400; no room is opened meanwhile. SIGINT ends at once."
    ),
    Setting(
      "drain-redirect", .text, "url", usual: .words("none"), hidesQuery: true,
      "The signalling URL of the server that takes over: new joins are sent there while this one drains, and whoever is left at the end."
    ),
    Setting("log-level", .text, "level", usual: "info", "trace, debug, info, notice, warning, error or critical."),
  ]
}
