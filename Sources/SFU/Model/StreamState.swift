/// What a subscriber is sent of a track.
public struct StreamState: Sendable, Hashable, Codable {
  /// Whether nothing is sent because the path to the subscriber does not carry it.
  public var isPaused: Bool
  /// The size of the layer that is sent, in pixels; nil while it is unknown.
  public var width: Int?
  /// See `width`.
  public var height: Int?

  /// Creates a state.
  public init(isPaused: Bool = false, width: Int? = nil, height: Int? = nil) {
    self.isPaused = isPaused
    self.width = width
    self.height = height
  }
}

/// How well one direction of a client's connection carries its media.
public enum LinkQuality: String, Sendable, Hashable, Codable, CaseIterable {
  /// All that is wanted passes.
  case good
  /// Video is reduced, more than 3 % of the packets are lost, or the round trip takes more than 400 ms.
  case weak
  /// Video is paused, more than 10 % of the packets are lost, the round trip takes more than 800 ms, or nothing arrives.
  case bad
}
