/// The settings of variants that are made on demand.
public struct VariantSettings: Sendable {
  /// Variants that are made at a time, each on its own thread; 0 for none. Nil means half the number of cores: any permitted
  /// viewer can start one, and rooms and mixes need the other half.
  public var limit: Int?
  /// How long a variant continues after its last viewer has left.
  public var idleTime: Duration = .seconds(10)

  public init() {}
}
