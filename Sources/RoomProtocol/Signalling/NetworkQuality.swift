/// How well one direction of a participant's connection carries its media.
public enum NetworkQuality: String, Codable, Sendable, Hashable, CaseIterable {
  /// All that is wanted passes. A participant without a report has it.
  case good
  /// Pictures are reduced, more than 3 % of the packets are lost, or the round trip takes more than 400 ms.
  case weak
  /// Pictures are paused, more than 10 % of the packets are lost, the round trip takes more than 800 ms, or nothing arrives.
  case bad
}

/// The data of a `networkQuality` event.
public struct NetworkQualityData: Codable, Sendable, Hashable {
  /// The participants whose quality changed, at most 100 in one event.
  public var users: [UserQuality]
  /// Creates the data of the event.
  public init(users: [UserQuality]) { self.users = users }
}

/// The quality of one participant's connection.
public struct UserQuality: Codable, Sendable, Hashable {
  /// The participant.
  public var userId: UserID
  /// The quality of what it publishes.
  public var uplink: NetworkQuality
  /// The quality of what it receives.
  public var downlink: NetworkQuality
  /// Creates the quality of a participant.
  public init(userId: UserID, uplink: NetworkQuality = .good, downlink: NetworkQuality = .good) {
    self.userId = userId
    self.uplink = uplink
    self.downlink = downlink
  }
}
