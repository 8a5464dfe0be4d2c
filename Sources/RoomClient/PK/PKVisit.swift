import RoomProtocol

/// An anchor's stay in the other room of a PK: what it left behind, and what it returns to.
struct PKVisit: Sendable {
  /// How its own room is joined again.
  let home: RoomEntry
  /// The seat it had there.
  let seat: Int?
  /// The other anchor, whose room this is.
  let peer: String
  let tracks: [any LocalTrack]
  let broadcasts: [MovedBroadcast]
  /// Seconds that jobs have to take over.
  let patience: Double
}
