import RoomProtocol

/// What events say that have no message of signalling for it.
package enum WebhookEventData {
  package struct Created: Encodable, Sendable {
    /// Milliseconds since 1970.
    var createdAt: Int64

    package init(createdAt: Int64) { self.createdAt = createdAt }
  }

  struct Restored: Encodable, Sendable {
    /// Who was in the room; each comes back and joins, or leaves with `timedOut`.
    var userIds: [UserID]
  }

  struct Closed: Encodable, Sendable {
    var reason: EndReason
    /// Who closed it; empty for the API, absent where nobody did.
    var by: UserID?
  }

  struct Left: Encodable, Sendable {
    var userId: UserID
    var reason: EndReason
    var by: UserID?
  }

  struct Published: Encodable, Sendable {
    var userId: UserID
    var track: TrackInfo
  }

  struct Unpublished: Encodable, Sendable {
    var userId: UserID
    var trackId: TrackID
  }

  struct Recording: Encodable, Sendable {
    /// As it was asked for.
    var name: String
    /// What was written, in order.
    var files: [String]
    var bytes: Int64
    var droppedPictures: Int
    /// Why it ended before what it records did.
    var failure: JobFailure?
  }
}
