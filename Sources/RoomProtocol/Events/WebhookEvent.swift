import Foundation

/// Something in a room that an app's server wants to know of.
package struct WebhookEvent: Sendable {
  package enum Name: String, Sendable, CaseIterable {
    case roomCreated, roomRestored, roomClosed
    case participantJoined, participantLeft, participantKicked
    case trackPublished, trackUnpublished
    case seatChanged, seatRequested, seatRequestEnded, seatInvited, seatInvitationEnded
    case jobStarted, jobOnAir, jobConnected, jobReconnecting, jobFailed, jobEnded
    case pkInvited, pkInvitationEnded, pkBegan, pkOnAir, pkChanged, pkEnded
    case recordingFinished
  }

  package var room: RoomName
  /// Another each time a room of that name is made.
  package var session: String
  package var name: Name
  /// Milliseconds since 1970.
  package var time: Int64
  package var data: any Encodable & Sendable

  package init(room: RoomName, session: String, name: Name, time: Int64 = now(), data: any Encodable & Sendable) {
    self.room = room
    self.session = session
    self.name = name
    self.time = time
    self.data = data
  }

  /// Milliseconds since 1970.
  package static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

/// Where rooms tell their events. Nothing here may wait: the rooms go on at once.
package protocol WebhookEventSink: Sendable {
  func tell(_ event: WebhookEvent)
}

/// Nobody listens.
package struct NoWebhookEvents: WebhookEventSink {
  package init() {}
  package func tell(_ event: WebhookEvent) {}
}
