import RoomProtocol

/// The limits of one room for its participants and viewers.
package struct RoomBounds: Sendable, Hashable {
  /// The limits that are sent to clients.
  package var clientLimits = RoomLimits()
  /// Percentage of a room's capacity reserved for participants with the `publish` grant, rounded up.
  package var publisherShare = 2
  /// Maximum number of WHEP sessions started with the same token.
  package var sessionsPerToken = 50
  /// Maximum number of WHEP sessions of one user.
  package var sessionsPerUser = 100
  /// Calls per second and participant that send an event to the whole room, after the burst.
  package var changesPerSecond = 10.0
  package var changeBurst = 40

  package init() {}
}
