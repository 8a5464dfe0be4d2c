public import RoomCodecs

/// The time of day as text, "20:15:00", or the time that is left, "4:59". One owner at a time.
public final class ClockText {
  private let renderer: TextRenderer
  private let style: TextStyle
  private let offset: Int64
  private let end: Int64?
  private let place: (x: Int, y: Int)
  private var shown: Int64?

  /// - Parameters:
  ///   - secondsFromGMT: The offset of the time zone in s; at most one day.
  ///   - end: The time in ms since 1970 to which the clock counts down; nil for the time of day.
  ///   - x: The left edge on the canvas; `y` is the top edge.
  public init(
    _ renderer: TextRenderer, style: TextStyle = TextStyle(), secondsFromGMT: Int = 0, until end: Int64? = nil, x: Int, y: Int
  ) {
    self.renderer = renderer
    self.style = style
    self.end = end
    offset = Int64(min(max(secondsFromGMT, -86_400), 86_400))
    place = (x, y)
  }

  /// Returns the overlay to show from now on; nil if it is unchanged.
  /// - Parameter milliseconds: The time in ms since 1970.
  public func overlay(at milliseconds: Int64) -> Overlay? {
    let second = end.map { Self.left(until: $0, at: milliseconds) } ?? Self.second(milliseconds)
    guard second != shown else { return nil }
    shown = second
    let text = end == nil ? Self.text(second, offset: offset) : Self.text(left: second)
    return renderer.overlay(text, style: style, x: place.x, y: place.y)
  }

  /// Rounded down, also before 1970.
  private static func second(_ milliseconds: Int64) -> Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

  /// The seconds that are left, rounded up: the last one ends at the end.
  private static func left(until end: Int64, at milliseconds: Int64) -> Int64 {
    let (left, overflow) = end.subtractingReportingOverflow(milliseconds)
    return overflow ? (end < milliseconds ? 0 : .max / 1000) : max(0, left / 1000 + (left % 1000 > 0 ? 1 : 0))
  }

  static func text(left seconds: Int64) -> String { "\(seconds / 60):\(twoDigits(seconds % 60))" }

  static func text(_ second: Int64, offset: Int64) -> String {
    let ofDay = ((second % 86_400 + offset) % 86_400 + 86_400) % 86_400
    return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map(twoDigits).joined(separator: ":")
  }

  private static func twoDigits(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
}
