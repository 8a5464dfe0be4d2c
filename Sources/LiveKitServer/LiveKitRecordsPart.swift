import RoomProtocol
import RoomServer
import RoomWebhooks

/// What the server stores for app servers and agents that use LiveKit's SDKs. Starts before the events, whose form it knows.
struct LiveKitRecordsPart: EventSinkPart, WebhookFormPart {
  let records: LiveKitRecords

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    return Self(
      records: LiveKitRecords(
        try await assembly.part(StoragePart.self).documents, try await assembly.part(StreamKeysPart.self).keys,
        keys: ground.keys, rooms: ground.summaries, log: ground.log))
  }

  var sink: any WebhookEventSink { records }
  var form: any WebhookForm { records.webhooks }
}
