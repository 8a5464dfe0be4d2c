public import RoomCodecs

/// Applies a ``LookupTable`` to pictures.
///
/// The table is converted once, in some milliseconds, when the filter is created: create it outside of the frame path. A
/// picture then takes one lookup for each pixel.
public struct LookupFilter: PictureEffect {
  /// The table.
  public let table: LookupTable
  /// The share of the table's colours in the result, 0…1; the rest are the picture's own.
  public let strength: Double
  private let lattice: YUVLattice

  /// - Parameters:
  ///   - table: the colours.
  ///   - strength: the share of the table's colours, limited to 0…1.
  public init(_ table: LookupTable, strength: Double = 1) {
    self.table = table
    self.strength = strength > 0 ? min(strength, 1) : 0
    lattice = YUVLattice(table, strength: Float(self.strength))
  }

  /// Returns the filter with another strength.
  public func with(strength: Double) -> LookupFilter { LookupFilter(table, strength: strength) }

  /// Replaces the colours of a picture.
  public func apply(to frame: inout VideoFrame) {
    guard strength > 0 else { return }
    frame.withMutablePlanes { lattice.apply(to: $0) }
  }
}
