/// What to change of a room's attributes, all or nothing; at most 10 keys in one call.
public struct AttributeParams: Codable, Sendable, Hashable {
  /// Keys of 1 to 64 bytes; values of at most 4096.
  public var set: [String: String]?
  /// Keys that may be missing already.
  public var remove: [String]?

  public init(set: [String: String]? = nil, remove: [String]? = nil) {
    self.set = set
    self.remove = remove
  }
}

public struct AttributesChangedData: Codable, Sendable, Hashable {
  /// Keys that are new or have another value.
  public var set: [String: String]
  public var removed: [String]
  /// Who did it; empty for the API.
  public var by: UserID

  public init(set: [String: String], removed: [String], by: UserID) {
    self.set = set
    self.removed = removed
    self.by = by
  }
}
