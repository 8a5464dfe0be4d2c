import Logging
import RoomProtocol
import RoomRelay

extension WebhookEventSink {
  /// Reports a change of a recording among the events of its room. A file that no job wrote has no room, and no events.
  func tell(_ event: RecordingEvent, log: Logger) {
    let facts: RecordingFacts
    let name: WebhookEvent.Name
    var info: RecordingInfo
    switch event {
    case .ended(let ended):
      (facts, name, info) = (ended, ended.state == .failed ? .recordingFailed : .recordingReady, RecordingInfo(ended))
    case .deleted(let deleted, let reason):
      (facts, name, info) = (deleted, .recordingDeleted, RecordingInfo(deleted))
      info.reason = reason.rawValue
      log.info("recording deleted", metadata: ["file": "\(deleted.name)", "reason": "\(reason)", "bytes": "\(deleted.size)"])
    }
    guard let owner = facts.owner else { return }
    tell(WebhookEvent(room: RoomName(owner.room), session: owner.session, name: name, data: info))
  }
}
