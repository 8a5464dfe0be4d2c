/// The parameters of a change of a room's attributes: all or nothing, at most 10 keys in one call.
public struct AttributeParams: Codable, Sendable, Hashable {
  /// The attributes to set: keys of 1 to 64 bytes, values of at most 4096 bytes.
  public var set: [String: String]?
  /// The keys to remove. A key that is not set is ignored.
  public var remove: [String]?

  /// Creates the parameters.
  public init(set: [String: String]? = nil, remove: [String]? = nil) {
    self.set = set
    self.remove = remove
  }
}

/// The data of an `attributesChanged` event.
public struct AttributesChangedData: Codable, Sendable, Hashable {
  /// The attributes that are new or have another value.
  public var set: [String: String]
  /// The keys that were removed.
  public var removed: [String]
  /// The user who made the change; empty for a REST API call.
  public var by: UserID

  /// Creates the data of the event.
  public init(set: [String: String], removed: [String], by: UserID) {
    self.set = set
    self.removed = removed
    self.by = by
  }
}
