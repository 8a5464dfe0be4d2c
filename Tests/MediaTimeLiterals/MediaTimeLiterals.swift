public import RTP

/// Lets tests write a media time as a number of microseconds; the program itself names the unit.
extension MediaTime: ExpressibleByIntegerLiteral {
  public init(integerLiteral microseconds: Int64) { self.init(microseconds: microseconds) }
}
