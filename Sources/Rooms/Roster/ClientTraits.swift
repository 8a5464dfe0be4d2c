import RoomProtocol
import RoomSFU

/// What a protocol keeps of a client between two connections of one session. The room only stores it.
package typealias ClientMemory = any AnyObject & Sendable

/// A session that a client may resume.
package struct ReturningClient: Sendable {
  package var session: SessionID
  /// Milliseconds since 1970.
  package var joinedAt: Int64
  package var memory: ClientMemory
  /// The server that has its media; nil for this one.
  package var annex: MediaAnnexID?
}

/// What a client of another signalling protocol needs of a room.
package struct ClientTraits: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The client waits for its subscribe transport before it counts as connected, so that one is offered before it receives a
  /// track.
  package static let opensReceiving = ClientTraits(rawValue: 1 << 0)
  /// The client has published the ids of its tracks before it offers them.
  package static let choosesTrackIDs = ClientTraits(rawValue: 1 << 1)
  /// The client joins another room if its session ends with the name of one.
  package static let moves = ClientTraits(rawValue: 1 << 2)
  /// The client can be in another room without a new connection.
  package static let changesRoom = ClientTraits(rawValue: 1 << 7)
  /// The client can't replace a transport alone: a resumed session continues on both with new ICE credentials, and one that has
  /// lost a transport can't be resumed.
  package static let keepsTransports = ClientTraits(rawValue: 1 << 3)
  /// The client is informed when a track of its own has its first subscriber.
  package static let awaitsSubscribers = ClientTraits(rawValue: 1 << 4)
  /// The client publishes and receives on one transport, and makes the offers.
  package static let hasSingleConnection = ClientTraits(rawValue: 1 << 6)
  /// The client is a program that serves the others: it does not keep a room open.
  package static let isAgent = ClientTraits(rawValue: 1 << 5)
}
