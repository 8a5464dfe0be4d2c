import RoomProtocol

/// What one room lets its participants and viewers use.
package struct RoomBounds: Sendable, Hashable {
  /// What clients get of these.
  package var told = RoomLimits()
  /// Percent of a room's places that only participants with the `publish` grant get, rounded up.
  package var publisherShare = 2
  /// WHEP sessions that were begun with the same token.
  package var sessionsPerToken = 50
  /// WHEP sessions of one user.
  package var sessionsPerUser = 100
  /// Calls of one participant that send an event to the whole room, a second, after the burst.
  package var changesPerSecond = 10.0
  package var changeBurst = 40

  package init() {}
}
