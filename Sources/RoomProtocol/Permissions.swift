/// What a participant may do in its room: what its token permits, until the server API changes it.
public struct Permissions: Codable, Sendable, Hashable {
  /// The maximum number of sources.
  public static let maximumSources = 16

  /// The grants. Whether the participant is hidden never changes.
  public var grants: Grants
  /// The tags of the tracks that it may publish; nil for all. At most 16.
  public var sources: [String]?
  /// Whether it may send data; nil: whether it may publish.
  public var data: Bool?
  /// Whether it may change its own profile; nil: no change.
  public var ownProfile: Bool?

  /// Creates permissions.
  public init(grants: Grants, sources: [String]? = nil, data: Bool? = nil, ownProfile: Bool? = nil) {
    self.grants = grants
    self.sources = sources
    self.data = data
    self.ownProfile = ownProfile
  }

  /// Whether its sources are within their limits.
  public var isValid: Bool {
    sources.map { $0.count <= Self.maximumSources && $0.allSatisfy { $0.utf8.count <= 64 } } ?? true
  }

  /// Returns whether it may publish a track with a tag.
  public func allows(tag: String) -> Bool { sources?.contains(tag) ?? true }
}

/// The data of a `permissionsChanged` event.
public struct PermissionsData: Codable, Sendable, Hashable {
  /// The participant's user id.
  public var userId: UserID
  /// What it may do now.
  public var permissions: Permissions
  /// Creates the data of the event.
  public init(userId: UserID, permissions: Permissions) {
    self.userId = userId
    self.permissions = permissions
  }
}
