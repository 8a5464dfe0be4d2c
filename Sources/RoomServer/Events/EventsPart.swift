import RoomHTTPServer
import RoomProtocol
import RoomWebhooks

/// The events of rooms, and their delivery to the app's server.
package struct EventsPart: EventSinkPart {
  package let log: EventLog
  /// Whether the other nodes of a cluster deliver what this one leaves.
  private let isShared: Bool

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    let (configuration, shared) = (ground.configuration, try await assembly.neighbours.events)
    let secret = configuration.webhooks.secret ?? ground.keys.keys.first.flatMap { configuration.keys[$0] }
    let form = try await assembly.foreignForm
    guard form != nil || configuration.webhooks.liveKitURLs.isEmpty else {
      throw .webhooks(reason: "this server has no form of webhooks for LiveKit's SDKs")
    }
    do throws(EventLogError) {
      let log = try await EventLog(
        configuration.webhooks, path: ground.data?.privateFile("webhooks.sqlite"), cluster: shared, secret: secret?.value ?? "",
        liveKit: form, log: ground.log)
      return Self(log: log, isShared: shared != nil)
    } catch { throw .data(reason: error.reason) }
  }

  package var sink: any WebhookEventSink { log }
  package var endpoints: [Endpoint] { EventsAPI(log: log).endpoints }

  package func addMetrics(to text: inout PrometheusText) async { await log.addMetrics(to: &text) }

  package func read(into readings: inout AlarmReadings) async {
    readings.webhooks = await log.deliveries.map {
      AlarmReadings.Webhook(name: $0.webhook, isFailing: $0.isFailing, queued: $0.queued)
    }
  }

  /// Writes what is left, before the server leaves the cluster.
  package func quiesce() async { if isShared { await log.stop() } }

  package func stop() async { if !isShared { await log.stop() } }
}

/// A part that gives webhooks a form of their own.
package protocol WebhookFormPart: ServerPart {
  var form: any WebhookForm { get }
}

extension Assembly {
  /// The form of webhooks for app servers with LiveKit's SDKs.
  fileprivate var foreignForm: (any WebhookForm)? {
    get async throws(StartError) {
      for case let part as any WebhookFormPart in try await parts({ $0 is any WebhookFormPart.Type }) { return part.form }
      return nil
    }
  }
}
