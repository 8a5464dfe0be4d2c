/// The arrangement of a room's seats in its mixed picture.
public enum LayoutType: String, Codable, Sendable, Hashable, CaseIterable {
  /// Two seats: the host fills the canvas, one guest is in a floating window. The layout of a new room.
  case oneToOne
  /// Seven seats: a large host, with a column of six guests on the right.
  case oneToSix
  /// Two seats side by side, with a quarter of the canvas free above and below. A PK has the same picture.
  case gridTwo
  /// Three seats of the same size: the host above two guests.
  case gridThree
  /// Four seats, two by two.
  case gridFour
  /// Seven seats of the same size: the host above two rows of three.
  case gridSeven
  /// Nine seats, three by three.
  case gridNine
  /// Frames that the app defines, 1 to 16.
  case custom
}
