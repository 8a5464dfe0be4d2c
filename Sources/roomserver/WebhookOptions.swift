import ArgumentParser
import RoomServer

/// What the app's own server is told, from flags or the environment.
struct WebhookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A URL that is told what happens in rooms, by a signed POST for each event. May be repeated.", valueName: "url"))
  var webhook: [String] = []

  @Option(
    help: ArgumentHelp(
      "What these are signed with. Default: the API key's secret. Else ROOMSERVER_WEBHOOK_SECRET, which others can't see.",
      valueName: "secret"))
  var webhookSecret: String?

  @Option(
    help: ArgumentHelp(
      "A PEM file of the certificates that https webhooks may be signed by. Default: the system's.", valueName: "file"))
  var webhookCertificates: String?

  @Option(
    help: ArgumentHelp(
      "Milliseconds in which a webhook has to answer, 100 to 60000. Default 5000.", valueName: "ms"))
  var webhookTimeout: Int?

  @Option(
    help: ArgumentHelp("Hours after which an undelivered event is given up, 1 to 720. Default 24.", valueName: "hours"))
  var webhookMaxAge: Int?

  @Option(
    help: ArgumentHelp(
      "Events of rooms that are kept, for webhooks and for GET /v1/events, 100 to 10000000. Default 50000.", valueName: "count")
  )
  var eventsKept: Int?

  /// Fills in the webhooks' part of a configuration.
  func apply(to configuration: inout ServerConfiguration, _ environment: ServeEnvironment) throws {
    func number(_ flag: Int?, _ name: String, _ range: ClosedRange<Int>, _ words: String) throws -> Int? {
      guard let value = try flag ?? environment.number(name) else { return nil }
      guard range.contains(value) else { throw ValidationError("--\(words) is \(range.lowerBound) to \(range.upperBound)") }
      return value
    }
    var webhooks = WebhookSettings()
    webhooks.urls = webhook.isEmpty ? environment.list("WEBHOOK") : webhook
    webhooks.secret = webhookSecret ?? environment.text("WEBHOOK_SECRET")
    webhooks.trustedCertificates = webhookCertificates ?? environment.text("WEBHOOK_CERTIFICATES")
    if let timeout = try number(webhookTimeout, "WEBHOOK_TIMEOUT", 100...60_000, "webhook-timeout") {
      webhooks.timeout = .milliseconds(timeout)
    }
    if let hours = try number(webhookMaxAge, "WEBHOOK_MAX_AGE", 1...720, "webhook-max-age") {
      webhooks.longestAge = .seconds(hours * 3600)
    }
    if let kept = try number(eventsKept, "EVENTS_KEPT", 100...10_000_000, "events-kept") { webhooks.kept = kept }
    if let complaint = webhooks.complaint { throw ValidationError("--webhook: \(complaint)") }
    configuration.webhooks = webhooks
  }
}
