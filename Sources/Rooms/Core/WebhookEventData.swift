import RoomProtocol

/// The data of webhook events that have no signalling message.
package enum WebhookEventData {
  package struct Created: Encodable, Sendable {
    /// Milliseconds since 1970.
    var createdAt: Int64

    package init(createdAt: Int64) { self.createdAt = createdAt }
  }

  struct Restored: Encodable, Sendable {
    /// The users that were in the room; each returns and joins, or leaves with `timedOut`.
    var userIds: [UserID]
  }

  struct Closed: Encodable, Sendable {
    var reason: EndReason
    /// The user that closed it; empty for the API, absent if it closed by itself.
    var by: UserID?
  }

  package struct Left: Encodable, Sendable {
    package var userId: UserID
    package var reason: EndReason
    var by: UserID?
    /// The participant as it was; nil if it did not return to a restored room.
    var participant: ParticipantInfo?
  }

  package struct Published: Encodable, Sendable {
    package var userId: UserID
    /// When the user joined; milliseconds since 1970.
    var joinedAt: Int64
    var track: TrackInfo
  }

  struct Unpublished: Encodable, Sendable {
    var userId: UserID
    /// When the user joined; milliseconds since 1970.
    var joinedAt: Int64
    var trackId: TrackID
    /// The track as it was.
    var track: TrackInfo
  }

  struct Recording: Encodable, Sendable {
    /// The name in the request.
    var name: String
    /// The files written, in order.
    var files: [String]
    var bytes: Int64
    var droppedPictures: Int
    /// The error that ended it before its program ended.
    var failure: JobFailure?
  }
}
