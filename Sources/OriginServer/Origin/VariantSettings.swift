/// Variants that are made on demand, for those who ask for their names.
public struct VariantSettings: Sendable {
  /// Variants that are made at a time, each on a thread of its own; 0 for none. Nil for half as many as there are cores: anybody who
  /// may watch can have them made, and rooms and mixes need the other half.
  public var limit: Int?
  /// How long a variant is made after its last viewer has left.
  public var idleTime: Duration = .seconds(10)

  public init() {}
}
