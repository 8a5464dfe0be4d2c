import RoomSFU

/// Assigns unique ids to a room's media.
struct MediaIDs: Sendable {
  private var last: UInt32 = 0

  private mutating func next() -> UInt32 {
    last &+= 1
    return last
  }

  mutating func transport() -> TransportID { TransportID(next()) }
  mutating func track() -> MediaTrackID { MediaTrackID(next()) }
  mutating func subscription() -> SubscriptionID { SubscriptionID(next()) }
}
