import Foundation
import Logging
import Relay
import RoomProtocol
import RoomToken
import WebRTC

/// What rooms share with the rest of the server.
struct RoomDependencies: Sendable {
  var fingerprint: Fingerprint
  /// Revokes a kicked user's token.
  var kicked: @Sendable (RoomToken) -> Void
  /// The room is closed: forget it.
  var closed: @Sendable (Room) async -> Void
  var counters: ServerCounters
  var broadcasts: BroadcastDirectory
  var mixes: MixDirectory
  /// Another room of this server.
  var peer: @Sendable (RoomName) async -> Room?
  /// Signs a token with one of the server's keys; nil if it has none.
  var sign: @Sendable (RoomToken) -> String?
  /// What survives the server's end; nil if nothing does.
  var store: StoreWriter?
  var relay: RelaySettings
  var log: Logger
  /// Where the app's own server learns of events.
  var events: any WebhookEventSink = NoWebhookEvents()

  func report(_ name: WebhookEvent.Name, _ data: any Encodable & Sendable, room: RoomName, session: String) {
    events.tell(
      WebhookEvent(
        room: room, session: session, name: name, time: Int64(Date().timeIntervalSince1970 * 1000), data: data))
  }

  /// Reports the end of a recording that a room began, even if the room is gone.
  func recordingListener(of room: RoomName, session: String) -> BroadcastDirectory.RecordingListener {
    { recording, summary in
      let failure = summary.failure.map { JobFailure(cause: $0.name, message: $0.description) }
      report(
        .recordingFinished,
        WebhookEventData.Recording(
          name: "\(recording)", files: summary.files, bytes: summary.bytes, droppedPictures: summary.droppedPictures,
          failure: failure), room: room, session: session)
    }
  }
}

extension ServerCounters {
  /// Counts what happened in a room.
  func count(_ count: RoomCount) {
    switch count {
    case .limit(let limit): self.count(limit: limit)
    case .resume: self.count { $0.resumes += 1 }
    case .kick: self.count { $0.kicks += 1 }
    case .whipSession: self.count { $0.whipSessions += 1 }
    case .whepSession: self.count { $0.whepSessions += 1 }
    case .rtmpSession: self.count { $0.rtmpSessions += 1 }
    case .rtmpFault: self.count { $0.rtmpFaults += 1 }
    case .iceRestart: self.count { $0.iceRestarts += 1 }
    case .error(let code): self.count { $0.errors[code.rawValue, default: 0] += 1 }
    }
  }
}
