/// What a forward job shows while the room changes.
public enum JobFollow: String, Codable, Sendable, Hashable, CaseIterable {
  /// One user's tracks. While that user is the room's anchor in a PK, the composition with both anchors.
  case anchor
  /// The stage: the tracks of the one user on it, or the composition of all users on it. The stage consists of the seats, and of
  /// both anchors during a PK. While nobody is on it, the job shows its own user's tracks.
  case stage
}
