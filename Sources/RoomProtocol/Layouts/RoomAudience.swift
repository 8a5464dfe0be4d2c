/// The media that participants without a seat receive.
public enum RoomAudience: String, Codable, Sendable, Hashable, CaseIterable {
  /// The separate tracks of each seated participant.
  case separate
  /// One mix of video and audio while two or more seats are taken or a PK is on. Seated participants receive each other's
  /// separate tracks.
  case mixed
  /// One audio mix. A seated participant receives it without its own voice.
  case voice
}
