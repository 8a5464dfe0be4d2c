/// Webhooks to the app's own server.
enum WebhooksSection: SettingSection {
  static let title = "Webhooks and events"
  static let settings: [Setting] = [
    .list(
      "webhook", "url", at: \.server.webhooks.urls, privacy: .hidesQuery,
      "A URL that receives room events, one signed POST for each event"),
    .list(
      "livekit-webhook", "url", at: \.server.webhooks.liveKitURLs, privacy: .hidesQuery,
      "A URL that receives the events in the form of LiveKit's webhooks, signed with the API key"),
    .text(
      "webhook-secret", "secret", at: \.webhookSecret, default: "the API key's secret", privacy: .secret,
      "The secret that signs webhook deliveries"),
    .text(
      "webhook-certificates", "file", at: \.server.webhooks.trustedCertificates, default: "the system's",
      "A PEM file of certificate authorities that are trusted for https webhooks"),
    .time(
      "webhook-timeout", 100...60_000, .milliseconds, at: \.server.webhooks.timeout, "Milliseconds that a webhook has to answer"
    ),
    .time(
      "webhook-first-wait", 10...600_000, .milliseconds, at: \.server.webhooks.firstWait, in: .milliseconds,
      "Milliseconds to wait after a webhook's first failure; each further failure doubles the wait"),
    .time(
      "webhook-longest-wait", 10...3_600_000, .milliseconds, at: \.server.webhooks.longestWait, in: .milliseconds,
      "The maximum wait after webhook failures, in milliseconds; not less than webhook-first-wait"),
    .count(
      "webhook-concurrent", 1...1000, at: \.server.webhooks.concurrent,
      "Concurrent deliveries to one webhook; a room has one at a time"),
    .time(
      "webhook-max-age", 1...720, .hours, at: \.server.webhooks.longestAge, "Hours after which an undelivered event is dropped"),
    .count(
      "events-kept", 100...10_000_000, at: \.server.webhooks.kept,
      "Room events that are kept for webhooks and for GET /v1/events"),
  ]
}
