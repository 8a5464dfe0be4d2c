/// How the seats of a room are arranged in its mixed picture.
public enum LayoutType: String, Codable, Sendable, Hashable, CaseIterable {
  /// The host fills the canvas, one guest is in a floating window. What a room begins with.
  case oneToOne
  /// The host is large, with six guests in a column at its right.
  case oneToSix
  /// Two halves side by side, a quarter of the canvas free above and below: also the picture of a PK.
  case gridTwo
  /// Three of the same size: the host above two guests.
  case gridThree
  /// Two by two.
  case gridFour
  /// Seven of the same size: the host above two rows of three.
  case gridSeven
  /// Three by three.
  case gridNine
  /// Frames of the app's own.
  case custom
}
