/// What those who sit on no seat get of those who do.
public enum RoomAudience: String, Codable, Sendable, Hashable, CaseIterable {
  /// Everybody's tracks.
  case separate
  /// One mix of pictures and sound, while two or more sit, or a PK is on; who sits gets the others' tracks.
  case mixed
  /// One mix of sound; who sits gets it without their own.
  case voice
}
