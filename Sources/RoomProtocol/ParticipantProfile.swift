/// What a participant shows of itself besides its user id: set by clients of LiveKit, and read by all.
public struct ParticipantProfile: Codable, Sendable, Hashable {
  /// The maximum size of a profile: the bytes of all of its texts.
  public static let maximumBytes = 4096

  /// A name for display; empty for none.
  public var name: String
  /// A text of the app.
  public var metadata: String
  /// Named texts of the app.
  public var attributes: [String: String]

  /// Creates a profile.
  public init(name: String = "", metadata: String = "", attributes: [String: String] = [:]) {
    self.name = name
    self.metadata = metadata
    self.attributes = attributes
  }

  /// Whether it shows nothing.
  public var isEmpty: Bool { self == ParticipantProfile() }

  /// Whether it is within ``maximumBytes``.
  public var isValid: Bool {
    attributes.reduce(name.utf8.count + metadata.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      <= Self.maximumBytes
  }
}

/// The data of a `profileChanged` event.
public struct ProfileData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// The profile.
  public var profile: ParticipantProfile
  /// Creates the data of the event.
  public init(userId: UserID, profile: ParticipantProfile) {
    self.userId = userId
    self.profile = profile
  }
}
