import ArgumentParser
import RoomLiveOrigin
import RoomServer
import RoomWebhooks

/// Webhooks to the app's own server.
struct WebhookOptions: ParsableArguments {
  @Option(help: .setting("webhook")) var webhook: [String] = []
  @Option(help: .setting("webhook-secret")) var webhookSecret: String?
  @Option(help: .setting("webhook-certificates")) var webhookCertificates: String?
  @Option(help: .setting("webhook-timeout")) var webhookTimeout: Int?
  @Option(help: .setting("webhook-first-wait")) var webhookFirstWait: Int?
  @Option(help: .setting("webhook-longest-wait")) var webhookLongestWait: Int?
  @Option(help: .setting("webhook-concurrent")) var webhookConcurrent: Int?
  @Option(help: .setting("webhook-max-age")) var webhookMaxAge: Int?
  @Option(help: .setting("events-kept")) var eventsKept: Int?

  /// Applies the webhook options to a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    var webhooks = WebhookSettings()
    webhooks.urls = settings.list("webhook", webhook)
    webhooks.secret = settings.text("webhook-secret", webhookSecret).map { Secret($0) }
    webhooks.trustedCertificates = settings.text("webhook-certificates", webhookCertificates)
    configuration.webhooks = webhooks
    try applyNumbers(to: &configuration, settings)
    if let validationError = configuration.webhooks.validationError { throw ValidationError("--webhook: \(validationError)") }
    guard configuration.webhooks.longestWait >= configuration.webhooks.firstWait else {
      throw ValidationError("--webhook-longest-wait can't be less than --webhook-first-wait")
    }
  }
}
