public import RoomRTP

/// Lets tests write a media time as a number of microseconds; other code must name the unit.
extension MediaTime: ExpressibleByIntegerLiteral {
  public init(integerLiteral microseconds: Int64) { self.init(microseconds: microseconds) }
}
