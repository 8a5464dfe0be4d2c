/// What rooms use on a node: the capacity of a node, its load, or the load that a room is expected to cause.
public struct NodeResources: Hashable, Sendable {
  /// A resource that can run out.
  public enum Kind: Int, CaseIterable, Sendable {
    /// Forwarded packets per second.
    case packets
    /// Cores that mixes use.
    case mixCores
    /// Bytes of memory.
    case memory
    /// Open rooms.
    case rooms
  }

  static let none = Self()

  private static let greatest = 1e15

  private(set) var amounts: SIMD4<Double>

  /// Creates amounts. Negative values count as 0, values beyond 10^15 and values that are no number as 10^15.
  /// - Parameters:
  ///   - packets: forwarded packets per second.
  ///   - mixCores: cores that mixes use.
  ///   - memory: bytes.
  ///   - rooms: open rooms.
  public init(packets: Double = 0, mixCores: Double = 0, memory: Double = 0, rooms: Double = 0) {
    func bounded(_ value: Double) -> Double { value < Self.greatest ? max(0, value) : Self.greatest }
    amounts = SIMD4(bounded(packets), bounded(mixCores), bounded(memory), bounded(rooms))
  }

  private init(amounts: SIMD4<Double>) { self.amounts = amounts }

  /// The amount of a resource, in its unit.
  public subscript(kind: Kind) -> Double { amounts[kind.rawValue] }

  /// Adds amounts.
  public static func + (left: Self, right: Self) -> Self { Self(amounts: left.amounts + right.amounts) }

  /// Subtracts amounts; no result is below 0.
  public static func - (left: Self, right: Self) -> Self {
    let rest = left.amounts - right.amounts
    return Self(amounts: rest.replacing(with: 0, where: rest .< 0))
  }

  /// Adds amounts.
  public static func += (left: inout Self, right: Self) { left = left + right }
  /// Subtracts amounts; no result is below 0.
  public static func -= (left: inout Self, right: Self) { left = left - right }

  /// Returns the share of this capacity that a load uses, of the resource that is used most: 1 is all of it.
  public func share(of load: Self) -> Double { load.share(by: inverse) }

  /// Whether all amounts were numbers, and not too large.
  var isValid: Bool { amounts.max() < Self.greatest }

  /// Returns the largest product of an amount and its factor.
  func share(by factors: SIMD4<Double>) -> Double {
    let shares = amounts * factors
    return max(max(shares[0], shares[1]), max(shares[2], shares[3]))
  }

  /// The resource of which a load uses the largest share of this capacity.
  func scarcest(under load: Self) -> Kind {
    let shares = load.amounts * inverse
    return Kind.allCases.max { shares[$0.rawValue] < shares[$1.rawValue] } ?? .packets
  }

  /// The factors from amounts to their shares. A load of 0 on no capacity is a share of 0, and each other load is too much.
  var inverse: SIMD4<Double> {
    let isNone = amounts .<= 0
    return (1 / amounts.replacing(with: 1, where: isNone)).replacing(with: Self.greatest, where: isNone)
  }
}
