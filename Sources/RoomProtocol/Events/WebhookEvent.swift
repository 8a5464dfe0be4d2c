import Foundation

/// An event in a room that is sent to the app's server.
package struct WebhookEvent: Sendable {
  package enum Name: String, Sendable, CaseIterable {
    case roomCreated, roomRestored, roomClosed
    case participantJoined, participantLeft, participantKicked
    case trackPublished, trackUnpublished
    case seatChanged, seatRequested, seatRequestEnded, seatInvited, seatInvitationEnded
    case jobStarted, jobOnAir, jobConnected, jobReconnecting, jobFailed, jobEnded, playerEnded
    case pkInvited, pkInvitationEnded, pkMatching, pkMatchEnded, pkBegan, pkOnAir, pkChanged, pkEnded
    case recordingReady, recordingFailed, recordingDeleted, recordingFinished
  }

  package var room: RoomName
  /// The id of this incarnation of the room: a new one each time a room of that name is created.
  package var session: String
  package var name: Name
  /// The time of the event, in milliseconds since 1970.
  package var time: Int64
  package var data: any Encodable & Sendable

  package init(room: RoomName, session: String, name: Name, time: Int64 = now(), data: any Encodable & Sendable) {
    self.room = room
    self.session = session
    self.name = name
    self.time = time
    self.data = data
  }

  /// The time of the event, in milliseconds since 1970.
  package static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

/// Receives the events of rooms. An implementation must not block, because the room continues only when the call returns.
package protocol WebhookEventSink: Sendable {
  func tell(_ event: WebhookEvent)
}

/// Discards all events.
package struct NoWebhookEvents: WebhookEventSink {
  package init() {}
  package func tell(_ event: WebhookEvent) {}
}
