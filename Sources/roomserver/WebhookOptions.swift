import ArgumentParser
import LiveOrigin
import RoomServer
import Webhooks

/// What the app's own server is told.
struct WebhookOptions: ParsableArguments {
  @Option(help: .setting("webhook")) var webhook: [String] = []
  @Option(help: .setting("webhook-secret")) var webhookSecret: String?
  @Option(help: .setting("webhook-certificates")) var webhookCertificates: String?
  @Option(help: .setting("webhook-timeout")) var webhookTimeout: Int?
  @Option(help: .setting("webhook-max-age")) var webhookMaxAge: Int?
  @Option(help: .setting("events-kept")) var eventsKept: Int?

  /// Fills in the webhooks' part of a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    var webhooks = WebhookSettings()
    webhooks.urls = settings.list("webhook", webhook)
    webhooks.secret = settings.text("webhook-secret", webhookSecret).map { Secret($0) }
    webhooks.trustedCertificates = settings.text("webhook-certificates", webhookCertificates)
    if let timeout = try settings.number("webhook-timeout", webhookTimeout, in: 100...60_000) {
      webhooks.timeout = .milliseconds(timeout)
    }
    if let hours = try settings.number("webhook-max-age", webhookMaxAge, in: 1...720) {
      webhooks.longestAge = .seconds(hours * 3600)
    }
    if let kept = try settings.number("events-kept", eventsKept, in: 100...10_000_000) { webhooks.kept = kept }
    if let complaint = webhooks.complaint { throw ValidationError("--webhook: \(complaint)") }
    configuration.webhooks = webhooks
  }
}
